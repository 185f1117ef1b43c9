int tool() { return 7; }
