int byNative(int);
int callNative(int n) { return byNative(n); }
