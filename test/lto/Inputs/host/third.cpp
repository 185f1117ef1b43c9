// One of three files; see shared.h.
#include "shared.h"

static Noisy staticNoisy("third.cpp");

__attribute__((noinline)) int jumpWritable(int op, int value) {
  static void *table[] = {&&increment, &&twice, &&minus};
  if (value > 1000)
    table[0] = table[1];
  goto *table[op % 3];
increment:
  return value + 1;
twice:
  return value * 2;
minus:
  return value - 3;
}

namespace {
struct Failure : std::logic_error {
  using logic_error::logic_error;
};
} // namespace
void mayThrow(int kind) {
  Noisy local("unwound");
  if (kind == 1)
    throw Failure("from third");
  if (kind == 2)
    throw 42;
  if (kind == 3)
    throw std::out_of_range("range");
}
int catchInOtherFile(int kind) {
  try {
    mayThrow(kind);
  } catch (const Failure &) {
    return 1;
  } catch (...) {
    return 2;
  }
  return 0;
}
int variadicSum(int count, ...) {
  va_list list;
  va_start(list, count);
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += va_arg(list, int);
  va_end(list);
  return sum + static_cast<int>(Registry<int>::items.size());
}
const char *literalOf(int index) {
  static const char *const names[] = {"zero", "one"};
  return names[index];
}
static int negate(int x) { return -x; }
static int square(int x) { return x * x; }
static const Operation operations[] = {negate, square};
Operation operationOf(int index) { return operations[index]; }
double registryUser() { return Registry<double>::last + Registry<int>::last; }
