int seenByNative(int n);
int nativeSum(void) { return seenByNative(10); }
