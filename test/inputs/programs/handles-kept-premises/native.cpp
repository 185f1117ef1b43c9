using Kernel = void (*)(float *, int);
Kernel forNative(int i);
extern "C" Kernel fromNative(int i) { return forNative(i); }
Kernel *nativeSlot(Kernel *slot) { return slot; }
