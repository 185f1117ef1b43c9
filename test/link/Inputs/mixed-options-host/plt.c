int rand(void);
__attribute__((noinline)) int throughPlt(void) { return rand() & 0xff; }
