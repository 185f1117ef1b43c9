#include <stdexcept>
void change(int *h) { h[1] += 10; }
void changeAndThrow(int *h) {
  h[1] += 10;
  throw std::runtime_error("");
}
