__attribute__((noinline)) double fusedAdd(double a, double b, double c) { return a * b + c; }
