int native(int n) { return n + 1; }
