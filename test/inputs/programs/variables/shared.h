#define NOINLINE __attribute__((noinline))
extern int limit, rates[4], written, byNative, aliased, otherName, pointed, sectioned, initialised, asmNamed;
extern int journal[];
extern volatile int observed;
extern __thread int perThread;
int usesLimit(void);
int readsRates(void);
void note(int n);
void change(void);
void nativeChange(void);
int *where(void);
