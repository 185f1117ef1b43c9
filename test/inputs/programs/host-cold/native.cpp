int byNative(int n);
int callNative(int n) { return byNative(n); }
