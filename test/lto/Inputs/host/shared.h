// Shared by the three files of the program that LTRANS is tested on.
#ifndef SHARED_H
#define SHARED_H
#include <cstdarg>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

// An inline function with a static, and one with a template static: COMDATs.
inline int &sharedCounter() {
  static int value = 0;
  return value;
}
template <typename T> struct Registry {
  static std::vector<T> items;
  static T last;
};
template <typename T> std::vector<T> Registry<T>::items = {T(1), T(2)};
template <typename T> T Registry<T>::last = T(Registry<T>::items.size());

struct Noisy {
  explicit Noisy(const char *name) : name(name) { std::printf("+%s\n", name); }
  ~Noisy() { std::printf("-%s\n", name); }
  const char *name;
};
inline Noisy inlineNoisy("inline variable");

// A class whose vtable is emitted where it is used.
struct Shape {
  virtual ~Shape() = default;
  virtual int sides() const { return 0; }
};
struct Square : Shape {
  int sides() const override { return 4; }
};
template <int N> struct Polygon : Shape {
  int sides() const override { return N; }
};

struct PerThread {
  int value;
  explicit PerThread(int value) : value(value) {}
  ~PerThread() { std::printf("thread object %d dies\n", value); }
};
extern thread_local PerThread perThread;
extern thread_local int plainThreadLocal;

Shape *makeShape(int kind);
int useStatics(int x);
int readAlias(int x);
int jump(int op, int value);
int jumpWritable(int op, int value);
void mayThrow(int kind);
int catchInOtherFile(int kind);
int variadicSum(int count, ...);
int weakDefault();
int weakOverridden();
extern int commonish;
const char *literalOf(int index);
extern "C" {
int aliasOfExtern(int);
int aliasOfStatic(int);
int weakAlias(int);
int chosenByIfunc(int);
int definedInAssembly(int);
int callStaticFromAssembly(int);
int missingFunction(int) __attribute__((weak));
}
typedef int (*Operation)(int);
Operation operationOf(int index);
#endif
