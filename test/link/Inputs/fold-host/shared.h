#pragma once
#include <cstdarg>
#define NOINLINE __attribute__((noinline))
// Types and !tbaa differ.
template <class T> NOINLINE long sum(const T *p, int n) {
  long result = 0;
  for (int i = 0; i < n; ++i)
    result += long(p[i]) * (i ^ n);
  return result;
}
// Recursive, and mutually so.
template <class T> struct Node {
  Node *left, *right;
  T value;
};
template <class T> NOINLINE long count(const Node<T> *node) {
  return node ? long(node->value) + count(node->left) * 3 + count(node->right) : 1;
}
template <class T> NOINLINE bool odd(const Node<T> *node);
template <class T> NOINLINE bool even(const Node<T> *node) {
  return !node || (node->value && odd(node->left)) || odd(node->right);
}
template <class T> NOINLINE bool odd(const Node<T> *node) {
  return node && even(node->left) && !even(node->right);
}
template <int N> NOINLINE int total(int n, ...) {
  va_list list;
  va_start(list, n);
  int result = 0;
  while (n--)
    result += va_arg(list, int);
  va_end(list);
  return result;
}
// One may not overflow.
template <class T> NOINLINE T pol(T a, T b) { return a * b + (a ^ b) * 3; }
// Slots of virtual tables.
struct AnyShape {
  virtual ~AnyShape() {}
  virtual long area(long scale) const = 0;
};
template <class T> struct Shape : AnyShape {
  T width, height;
  Shape(T w, T h) : width(w), height(h) {}
  long area(long scale) const override {
    return long(width) * long(height) * scale + long(width) / (long(height) + 7);
  }
};
// What promises of parameters say differs.
struct Small { int value; };
struct Big { int value; int rest[15]; };
template <class T> NOINLINE bool isZeroed(const T &object, int depth) {
  return depth > 3 ? object.value == 0 : depth * 7 % 5 == 3;
}
NOINLINE int more(int argument);
