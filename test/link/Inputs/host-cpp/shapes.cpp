#include "shapes.h"
#include <cstdio>
static int helper(int x) { return x * 10; }
thread_local int perThread;
Shape::~Shape() = default;
namespace {
struct Circle : Shape {
  double r;
  Circle(double radius) : r(radius) {}
  double area() const override { return 3.14159265 * r * r; }
};
struct Square : Shape {
  double s;
  Square(double side) : s(side) {
    if (side < 0)
      throw Negative((int)side);
  }
  double area() const override { return s * s; }
};
} // namespace
Shape *makeCircle(double radius) { ++counter(); return new Circle(radius); }
Shape *makeSquare(double side) {
  Shape *made = new Square(side);
  ++counter();
  return made;
}
int late();
int local(int x) { return helper(x) + late(); }
