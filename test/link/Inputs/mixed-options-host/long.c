int longSize(void) { return sizeof(L' '); }
