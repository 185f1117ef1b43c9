int options(int n) { return n + 14; }
int (*volatile kept)(int) = options;
int useKept(int n) { return kept(n); }
