int notOptimized(int x) { int y = x; return y; }
