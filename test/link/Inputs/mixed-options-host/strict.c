__attribute__((noinline)) int strictNan(double x) { return x != x; }
