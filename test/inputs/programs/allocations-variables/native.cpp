extern int *byNative;
extern "C" void setNative(int *with) { byNative = with; }
