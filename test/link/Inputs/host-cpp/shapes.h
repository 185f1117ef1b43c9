#pragma once
#include <stdexcept>
struct Shape {
  virtual ~Shape();
  virtual double area() const = 0;
};
Shape *makeCircle(double radius);
Shape *makeSquare(double side);
inline int &counter() {
  static int n;
  return n;
}
extern thread_local int perThread;
struct Negative : std::runtime_error {
  int value;
  Negative(int v) : std::runtime_error("negative"), value(v) {}
};
int local(int);
