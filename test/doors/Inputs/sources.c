//--- main.c
int printf(const char *, ...);
int f(int), g(int);
int main(void) {
  printf("main %d %d\n", f(3), g(4));
  return 0;
}
//--- f.c
int f(int x) { return x * 2 + 1; }
int fUnused(int x) { return x - 1; }
//--- g.c
int f(int);
int g(int x) { return f(x) * 10; }
//--- fweak.c
__attribute__((weak)) int f(int x) { return 1000 + x; }
//--- fother.c
int f(int x) { return 500 + x; }
//--- fnative.c
// flags: -fno-inline
int f(int x) { return 77 + x; }
int g(int);
int callG(int x) { return g(x); }
//--- gcallback.c
int callG(int);
int g(int x) { return x > 10 ? x : callG(x + 10); }
//--- start.c
int printf(const char *, ...);
__attribute__((constructor)) static void begin(void) { printf("begin\n"); }
__attribute__((destructor)) static void end(void) { printf("end\n"); }
int started = 1;
//--- hooks.c
int printf(const char *, ...);
void atLoad(void) { printf("loaded\n"); }
void atUnload(void) { printf("unloaded\n"); }
//--- startearly.c
int printf(const char *, ...);
__attribute__((constructor(201))) static void one(void) { printf("201\n"); }
__attribute__((constructor(300))) static void two(void) { printf("300\n"); }
//--- startlate.c
int printf(const char *, ...);
__attribute__((constructor(250))) static void mid(void) { printf("250\n"); }
__attribute__((constructor)) static void last(void) { printf("last\n"); }
//--- wrapper.c
int printf(const char *, ...);
int __real_f(int);
int __wrap_f(int x) {
  printf("wrapped %d\n", x);
  return __real_f(x + 1);
}
//--- wrapboth.c
int printf(const char *, ...);
int __real_f(int);
int f(int);
int __wrap_f(int x) {
  printf("wrapped %d\n", x);
  return x > 5 ? __real_f(x) : f(x + 5) + 1;
}
//--- wraplocal.c
int f(int x);
int insideF(int x) { return f(x) + 100; }
__attribute__((noinline)) int f(int x) { return x * 2 + 1; }
//--- wrapmain.c
int printf(const char *, ...);
int f(int), insideF(int);
int main(void) {
  printf("outside %d inside %d\n", f(1), insideF(1));
  return 0;
}
//--- wrapmalloc.c
int printf(const char *, ...);
void *__real_malloc(unsigned long);
int allocations;
void *__wrap_malloc(unsigned long n) {
  ++allocations;
  return __real_malloc(n);
}
//--- malloc.c
int printf(const char *, ...);
void *malloc(unsigned long);
extern int allocations;
char *volatile sink;
int main(void) {
  sink = malloc(4);
  sink = malloc(5);
  printf("allocations %d\n", allocations);
  return 0;
}
//--- optional.c
int printf(const char *, ...);
extern int hook(int) __attribute__((weak));
int main(void) {
  printf("hook %d\n", hook ? hook(1) : -1);
  return 0;
}
//--- hook.c
int hook(int x) { return x + 41; }
//--- common1.c
// flags: -fcommon
int printf(const char *, ...);
int shared;
int array[2];
void set(void);
int main(void) {
  set();
  printf("common %d %d %d\n", shared, array[0], array[1]);
  return 0;
}
//--- common2.c
// flags: -fcommon
int shared;
int array[40];
void set(void) {
  shared = 5;
  for (int i = 0; i < 40; ++i)
    array[i] = i + 1;
}
//--- strongdata.c
int shared = 9;
int array[40] = {7};
void set(void) { array[1] = 3; }
//--- comdat1.cpp
extern "C" int printf(const char *, ...);
struct Counter {
  static int next() { static int n; return ++n; }
};
inline int inlineNext() { return Counter::next(); }
int second();
int main() {
  int a = inlineNext(), b = second(), c = inlineNext();
  printf("counter %d %d %d\n", a, b, c);
}
//--- comdat2.cpp
struct Counter {
  static int next() { static int n; return ++n; }
};
inline int inlineNext() { return Counter::next(); }
int second() { return inlineNext(); }
//--- hidden.c
__attribute__((visibility("hidden"))) int f(int x) { return x + 8; }
__attribute__((visibility("hidden"))) int hiddenData = 6;
//--- usehidden.c
extern int hiddenData;
int f(int);
int g(int x) { return f(x) + hiddenData++; }
//--- protected.c
__attribute__((visibility("protected"))) int f(int x) { return x + 9; }
int g(int x) { return f(x); }
//--- weakg.c
int f(int);
__attribute__((weak)) int g(int x) { return f(x) * 3; }
//--- preempt.c
// flags: -fno-semantic-interposition
int printf(const char *, ...);
__attribute__((weak)) int level(void) { return 1; }
int data = 10;
int libLevel(void) { return level() * 100 + data; }
//--- preemptmain.c
int printf(const char *, ...);
int libLevel(void);
int level(void) { return 2; }
int data = 20;
int main(void) {
  printf("level %d\n", libLevel());
  return 0;
}
//--- loader.c
int printf(const char *, ...);
void *dlopen(const char *, int), *dlsym(void *, const char *);
int fromMain(int x) { return x + 1000; }
int main(void) {
  void *lib = dlopen("./plug.so", 2);
  if (!lib)
    return 3;
  int (*entry)(int) = (int (*)(int))dlsym(lib, "plugEntry");
  printf("plugin %d, kept %d\n", entry(1), dlsym(lib, "plugHidden") != 0);
  return 0;
}
//--- plug.c
int fromMain(int);
__attribute__((visibility("hidden"))) int plugHidden(int x) { return x * 2; }
int plugEntry(int x) { return plugHidden(fromMain(x)); }
//--- self.c
int printf(const char *, ...);
void *dlsym(void *, const char *);
int visible(int x) { return x + 5; }
int main(void) {
  int (*found)(int) = (int (*)(int))dlsym((void *)0, "visible");
  printf("self %d\n", found ? found(1) : -1);
  return 0;
}
//--- version.c
__asm__(".symver old_v, v@V1");
__asm__(".symver new_v, v@@V2");
int old_v(void) { return 1; }
int new_v(void) { return 2; }
//--- usev.c
int printf(const char *, ...);
int v(void);
int main(void) {
  printf("version %d\n", v());
  return 0;
}
//--- sets1.c
int printf(const char *, ...);
extern int __start_myset[], __stop_myset[];
__attribute__((section("myset"), used)) static int first = 1;
int main(void) {
  int sum = 0;
  for (int *p = __start_myset; p != __stop_myset; ++p)
    sum += *p;
  printf("set %d\n", sum);
  return 0;
}
//--- sets2.c
__attribute__((section("myset"), used)) int second = 20;
//--- entry.c
static void put(const char *s, long n) {
  long r;
  __asm__ volatile("syscall" : "=a"(r) : "a"(1), "D"(1), "S"(s), "d"(n)
                   : "rcx", "r11", "memory");
}
int f(int);
void myEntry(void) {
  put(f(3) == 7 ? "good\n" : "bad!\n", 5);
  __asm__ volatile("syscall" : : "a"(60), "D"(0));
}
//--- tls.c
int printf(const char *, ...);
extern __thread int counter;
static __thread int mine = 3;
int bump(void);
int main(void) {
  bump();
  counter += mine++;
  printf("tls %d %d\n", bump(), mine);
  return 0;
}
//--- tls2.c
__thread int counter = 40;
int bump(void) { return ++counter; }
//--- ifunc.c
int printf(const char *, ...);
static int fast(int x) { return x + 2; }
static int (*choose(void))(int) { return fast; }
int f(int) __attribute__((ifunc("choose")));
//--- alias.c
int target(int x) { return x + 30; }
int f(int) __attribute__((alias("target")));
int g(int) __attribute__((weak, alias("target")));
//--- static1.c
int printf(const char *, ...);
static int state = 1;
__attribute__((noinline)) static int helper(int x) { return x + state++; }
int other(int);
int main(void) {
  printf("static %d %d %d\n", helper(1), other(1), helper(1));
  return 0;
}
//--- static2.c
static int state = 50;
__attribute__((noinline)) static int helper(int x) { return x * state++; }
int other(int x) { return helper(x) + helper(x); }
//--- throw.cpp
struct Base { virtual ~Base(); virtual int id(); };
struct Derived : Base { int id() override; };
extern "C" int printf(const char *, ...);
Base *make(int);
int main() {
  try {
    Base *b = make(1);
    printf("id %d cast %d\n", b->id(), dynamic_cast<Derived *>(b) != nullptr);
    make(0);
  } catch (Derived &d) {
    printf("caught %d\n", d.id());
  }
}
//--- classes.cpp
struct Base { virtual ~Base(); virtual int id(); };
struct Derived : Base { int id() override; };
Base::~Base() {}
int Base::id() { return 1; }
int Derived::id() { return 2; }
Base *make(int good) {
  if (!good)
    throw Derived();
  return new Derived;
}
//--- remainder.c
// flags: -ffast-math
int printf(const char *, ...);
double fmod(double, double);
volatile double large = 100, small = 3;
int main(void) {
  printf("remainder %d\n", (int)fmod(large, small));
  return 0;
}
//--- fmod.c
// flags: -fno-builtin
double fmod(double a, double b) { return a * 2 + b; }
//--- assembly.c
int printf(const char *, ...);
__asm__(".globl fromAsm\nfromAsm: movl $31, %eax\n ret\n"
        ".globl asmCalls\nasmCalls: jmp f@PLT\n");
int fromAsm(void), asmCalls(int);
int main(void) {
  printf("asm %d %d\n", fromAsm(), asmCalls(2));
  return 0;
}
//--- undefined.c
int nowhere(int);
int main(void) { return nowhere(1); }
//--- exported.c
int onlyForOthers(int x) { return x + 2; }
__attribute__((visibility("hidden"))) int never(int x) { return x - 2; }
int mainCalls(int);
int f(int x) { return mainCalls(x) + never(x); }
//--- mainexport.c
int printf(const char *, ...);
int f(int);
int mainCalls(int x) { return x * 100; }
int main(void) {
  printf("export %d\n", f(3));
  return 0;
}
//--- copy.c
int printf(const char *, ...);
extern int libData;
int libRead(void);
int main(void) {
  libData += 5;
  printf("copy %d\n", libRead());
  return 0;
}
//--- copylib.c
int libData = 7;
int libRead(void) { return libData; }
//--- script.c
int printf(const char *, ...);
extern char scriptSymbol[], aliasOfF[];
int main(void) {
  printf("script %lx %d\n", (unsigned long)scriptSymbol,
         ((int (*)(int))aliasOfF)(4));
  return 0;
}
//--- kernels1.cu
#include <cuda_runtime.h>
extern "C" int printf(const char *, ...);
__device__ int scale = 3;
__global__ void first(int *p) { p[threadIdx.x] = threadIdx.x * scale; }
int runSecond(int *p);
int main() {
  int *p, host[4], three = 4;
  if (cudaMalloc(&p, sizeof host))
    return 1;
  first<<<1, 4>>>(p);
  cudaMemcpyToSymbol(scale, &three, sizeof three);
  first<<<1, 2>>>(p);
  int count = runSecond(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  printf("cuda %d %d %d %d count %d\n", host[0], host[1], host[2], host[3],
         count);
}
//--- kernels2.cu
#include <cuda_runtime.h>
template <typename T> __global__ void add(T *p, T by) { p[threadIdx.x] += by; }
int runSecond(int *p) {
  add<<<1, 4>>>(p, 100);
  return cudaDeviceSynchronize() == cudaSuccess;
}
//--- blocks.c
int printf(const char *, ...);
struct Block {
  int v[900];
};
void copy(struct Block *, const struct Block *);
void clear(struct Block *);
int wrapped;
int main(void) {
  static struct Block a, b;
  a.v[3] = 6;
  copy(&b, &a);
  clear(&a);
  printf("copied %d set %d wrapped %d\n", b.v[3], a.v[3], wrapped);
  return 0;
}
//--- blockcopy.c
struct Block {
  int v[900];
};
void copy(struct Block *to, const struct Block *from) { *to = *from; }
void clear(struct Block *block) { *block = (struct Block){{0}}; }
//--- wrapcopy.c
// flags: -fno-builtin
extern int wrapped __attribute__((weak));
void *__wrap_memcpy(void *to, const void *from, unsigned long n) {
  if (&wrapped)
    wrapped += 1;
  volatile char *a = to;
  for (const char *b = from; n; --n)
    *a++ = *b++;
  return to;
}
void *__wrap_memset(void *to, int value, unsigned long n) {
  if (&wrapped)
    wrapped += 10;
  for (volatile char *a = to; n; --n)
    *a++ = value;
  return to;
}
//--- bare.c
// flags: -fno-stack-protector
struct Block {
  int v[900];
} a, b;
void copy(struct Block *, const struct Block *);
void start(void) {
  a.v[3] = 6;
  copy(&b, &a);
  __asm__ volatile("syscall" : : "a"(60), "D"(b.v[3]));
}
//--- remainder2.c
// flags: -ffast-math
int printf(const char *, ...);
volatile double x = 17, y = 5;
int main(void) {
  printf("remainder %.0f\n", __builtin_fmod(x, y));
  return 0;
}
//--- wrapfmod.c
double __wrap_fmod(double a, double b) { return a < b ? a : 4; }
//--- inner.c
int in1(void), in2(void);
int innerEntry(void) { return in1() + in2(); }
//--- in1.c
int in1(void) { return 5; }
//--- in2.c
int in2(void) { return 7; }
//--- inmain.c
int printf(const char *, ...);
int in1(void), in2(void);
int main(void) {
  printf("in %d %d\n", in1(), in2());
  return 0;
}
//--- wrapin.c
int __real_in2(void);
int __wrap_in2(void) { return __real_in2() + 100; }
//--- rename.c
int fOld(int x) { return 100 + x + 3; }
