int shortSize(void) { return sizeof(L' '); }
