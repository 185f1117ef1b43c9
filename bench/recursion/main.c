// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the function that the argument names.
#include "functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static u32 state = 12345;
static u32 next(void) { return state = state * 1664525u + 1013904223u; }

static u32 runTree(void) {
  struct Tree *tree = 0;
  for (int i = 0; i < 20000; ++i)
    tree = insert(tree, next());
  u32 result = 0;
  for (int i = 0; i < 20; ++i)
    result = result * 31 + sum(tree) + height(tree);
  return result;
}

static u32 runQuicksort(void) {
  enum { kCount = 40000 };
  u32 *values = malloc(kCount * sizeof *values), result = 0;
  for (int i = 0; i < kCount; ++i)
    values[i] = next();
  quicksort(values, 0, kCount - 1);
  for (int i = 0; i < kCount; ++i)
    result = result * 31 + values[i];
  return result;
}

static u32 run(const char *name) {
  u32 result = 0;
  if (!strcmp(name, "fibonacci"))
    return fibonacci(27);
  if (!strcmp(name, "ackermann"))
    return ackermann(2, 300);
  if (!strcmp(name, "takeuchi"))
    return takeuchi(16, 11, 5);
  if (!strcmp(name, "tree"))
    return runTree();
  if (!strcmp(name, "quicksort"))
    return runQuicksort();
  if (!strcmp(name, "hanoi"))
    return hanoi(17, 0, 2, 1), moves;
  if (!strcmp(name, "queens"))
    return queens(8, 0, 0, 0);
  if (!strcmp(name, "power"))
    for (u32 i = 0; i < 20000; ++i)
      result += power(i, i * 7);
  u32 values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  if (!strcmp(name, "permute"))
    return permute(values, 8, 0), permutations;
  if (!strcmp(name, "collatz"))
    for (u32 i = 1; i < 20000; ++i)
      result += collatz(i);
  return result;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    printf("%s %u\n", argv[i], run(argv[i]));
  return argc < 2;
}
