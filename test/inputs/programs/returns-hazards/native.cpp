int nativeTile() { return 35; }
