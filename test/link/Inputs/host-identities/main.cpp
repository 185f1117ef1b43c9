#include "unit.h"
#include <cstdio>
int main() {
  walk(10, "abcabcabbb");
  std::printf("tag %d list %d default %d\n", isTag(tag()), isList(list()), isDefault(byDefault()));
  const char *kept, *keptToo;
  keepTag(&kept);
  keepTagToo(&keptToo);
  std::printf("same %d %d %d\n", tag() == sameTag(), list() == sameList(), kept == keptToo);
  Base *one = make(false), *two = make(true);
  std::printf("first %d %d second %d %d\n", isFirst(one), isFirst(two), isSecond(one), isSecond(two));
}
