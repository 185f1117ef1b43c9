int rand(void);
__attribute__((noinline)) int throughTable(void) { return rand(); }
