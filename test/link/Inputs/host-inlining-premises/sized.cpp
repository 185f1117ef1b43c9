int large(int);
[[clang::minsize]] int caller(int n) { return large(n) * 1; }
