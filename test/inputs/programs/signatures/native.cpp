// Ours are called otherwise.
int asGccCallsIt() asm("_Z3getPKi.isra");
int asGccCallsIt() { return 5; }
