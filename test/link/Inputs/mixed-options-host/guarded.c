void use(char *);
__attribute__((noinline)) int guarded(int x) { volatile char a[8]; a[x] = x; return a[x]; }
