#include "unit.h"
#include <cstdio>
#include <initializer_list>
#define NOINLINE [[gnu::noinline]]
NOINLINE void walk(int n, const char *steps) {
  const int *current = a;
  int inB = 0, inC = 0, sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += current[i & 3];
    if (current == b)
      ++inB;
    if (current == c)
      ++inC;
    switch (steps[i]) {
    case 'a': current = a; break;
    case 'b': current = b; break;
    case 'c': current = c; break;
    }
  }
  std::printf("tables %d %d %d\n", sum, inB, inC);
}
static const char *const kTag = "ab\0cd";
static const char *const kKept = "ke\0pt";
static const char *const kDefault = "default";
static constexpr std::initializer_list<int> kList = {5, 6, 7};
NOINLINE const char *tag() { return kTag; }
NOINLINE const char *sameTag() { return kTag; }
NOINLINE void keepTag(const char **where) { *where = kKept; }
NOINLINE void keepTagToo(const char **where) { *where = kKept; }
NOINLINE bool isTag(const char *p) { return p == kTag; }
NOINLINE const char *byDefault() { return kDefault; }
NOINLINE bool isDefault(const char *p) { return p == kDefault; }
NOINLINE const int *list() { return kList.begin(); }
NOINLINE const int *sameList() { return kList.begin(); }
NOINLINE bool isList(const int *p) { return p == kList.begin(); }
Base::~Base() {}
namespace {
struct First final : Base {
  int id() const override { return 3; }
};
struct Second final : Base {
  int id() const override { return 8; }
};
} // namespace
NOINLINE Base *make(bool isSecond) {
  if (isSecond)
    return new Second;
  return new First;
}
NOINLINE bool isFirst(const Base *p) { return dynamic_cast<const First *>(p); }
NOINLINE bool isSecond(const Base *p) { return dynamic_cast<const Second *>(p); }
