static volatile int value;
__attribute__((constructor)) static void native(void) { value = 1; }
