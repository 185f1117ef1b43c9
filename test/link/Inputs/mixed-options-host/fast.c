__attribute__((noinline)) int fastNan(double x) { return x != x; }
