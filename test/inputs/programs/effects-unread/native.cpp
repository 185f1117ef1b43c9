extern int shared;
int readShared() { return shared; }
