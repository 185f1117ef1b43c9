extern int byNative;
void nativeChange(void) { byNative = 9; }
