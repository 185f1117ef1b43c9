__attribute__((noinline)) double separateAdd(double a, double b, double c) { return a * b + c; }
