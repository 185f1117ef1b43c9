__attribute__((noinline)) int openCode(int x) { return x + 3; }
