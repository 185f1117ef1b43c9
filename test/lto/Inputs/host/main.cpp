// One of three files; see shared.h. It prints what it finds, and the same text
// must come out however the program is cut.
#include "shared.h"

#include <typeinfo>

static Noisy staticNoisy("main.cpp");
__attribute__((constructor(210))) static void early() { puts("ctor 210 main"); }
__attribute__((constructor)) static void late() { puts("ctor main"); }
__attribute__((destructor(220))) static void bye() { puts("dtor 220 main"); }

// The same names as in other.cpp, other contents.
static int hiddenState = 5;
static int helper(int x) { return x * 3 + hiddenState++; }
__attribute__((weak)) int weakOverridden() { return 1; }
__attribute__((weak)) int weakDefault() { return 11; }
int commonish;

// A local that assembly knows by its name, and a section that is walked.
extern "C" {
__attribute__((used)) static int assemblyTarget(int x) { return x * 7; }
}
asm(".text\n"
    ".globl definedInAssembly\n"
    ".type definedInAssembly,@function\n"
    "definedInAssembly: lea 1(%rdi), %eax\n ret\n"
    ".globl callStaticFromAssembly\n"
    ".type callStaticFromAssembly,@function\n"
    "callStaticFromAssembly: jmp _ZL14assemblyTargeti\n");
__attribute__((used, section("walked"))) static int walked1 = 11;
extern "C" int __start_walked[], __stop_walked[];

namespace {
struct Circle : Shape {
  int sides() const override { return 1; }
};
struct Failure : std::runtime_error {
  using runtime_error::runtime_error;
};
} // namespace

static int computedGoto(int op, int value) {
  static void *const table[] = {&&increment, &&twice, &&minus};
  goto *table[op % 3];
increment:
  return value + 1;
twice:
  return value * 2;
minus:
  return value - 3;
}

int main() {
  plainThreadLocal++;
  perThread.value++;
  printf("tls %d %d\n", plainThreadLocal, perThread.value);
  printf("alias %d %d %d\n", aliasOfExtern(1), aliasOfStatic(1), weakAlias(1));
  printf("ifunc %d asm %d %d\n", chosenByIfunc(1), definedInAssembly(1),
         callStaticFromAssembly(2));
  printf("statics %d %d %d\n", helper(1), useStatics(1), helper(1));
  int sum = 0;
  for (int *p = __start_walked; p < __stop_walked; ++p)
    sum += *p;
  printf("section %d\n", sum);
  for (int i = 0; i < 3; ++i)
    printf("%d %d %d ", computedGoto(i, 10), jump(i, 10), jumpWritable(i, 10));
  puts("");
  for (int i = 0; i < 4; ++i) {
    try {
      mayThrow(i);
      puts("nothing thrown");
    } catch (const std::exception &e) {
      printf("caught %s\n", e.what());
    } catch (int v) {
      printf("int %d\n", v);
    }
  }
  try {
    if (sum)
      throw Failure("own failure");
  } catch (const Failure &e) {
    printf("%s\n", e.what());
  }
  printf("caught elsewhere %d %d\n", catchInOtherFile(1), catchInOtherFile(2));
  Circle circle;
  Shape *other = makeShape(0);
  printf("%d %d %d %d %s\n", circle.sides(), other->sides(),
         makeShape(1)->sides(), makeShape(2)->sides(),
         typeid(circle) == typeid(*other) ? "same" : "differ");
  printf("counter %d\n", ++sharedCounter());
  printf("registry %zu %d %g\n", Registry<int>::items.size(),
         Registry<int>::last, Registry<double>::last);
  printf("variadic %d weak %d %d common %d\n", variadicSum(3, 1, 2, 3),
         weakDefault(), weakOverridden(), commonish);
  printf("%s %s %d\n", literalOf(0), literalOf(1), missingFunction ? 1 : 0);
  printf("operations %d %d\n", operationOf(0)(5), operationOf(1)(5));
  printf("alias data %d\n", readAlias(2));
  return 0;
}
