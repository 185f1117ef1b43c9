#include "shapes.h"
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>
static int helper(int x) { return x + 1; }
struct Early {
  Early() { puts("first"); }
  ~Early() { puts("last"); }
} early;
int main() {
  try {
    std::unique_ptr<Shape> bad(makeSquare(-2));
  } catch (const Negative &e) {
    printf("caught %s size %d\n", e.what(), e.value);
  }
  std::unique_ptr<Shape> circle(makeCircle(2)), square(makeSquare(3));
  printf("area %.2f %.2f\n", circle->area(), square->area());
  int sum = 0;
  perThread = 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([] { perThread += 2; });
  for (auto &t : threads) { t.join(); sum += 2; }
  printf("threads %d main %d\n", sum, perThread);
  ++counter();
  printf("counter %d local %d %d\n", counter(), helper(1), local(1));
}
