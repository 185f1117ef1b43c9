// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functions.h"

#include <stdlib.h>

u32 moves, permutations;

u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

u32 ackermann(u32 m, u32 n) {
  if (m == 0)
    return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int takeuchi(int x, int y, int z) {
  if (y >= x)
    return z;
  return takeuchi(takeuchi(x - 1, y, z), takeuchi(y - 1, z, x),
                  takeuchi(z - 1, x, y));
}

u32 sum(const struct Tree *tree) {
  return tree ? tree->key + sum(tree->left) + sum(tree->right) : 0;
}

u32 height(const struct Tree *tree) {
  if (!tree)
    return 0;
  u32 left = height(tree->left), right = height(tree->right);
  return 1 + (left > right ? left : right);
}

struct Tree *insert(struct Tree *tree, u32 key) {
  if (!tree) {
    tree = malloc(sizeof *tree);
    tree->left = tree->right = 0;
    tree->key = key;
    return tree;
  }
  if (key < tree->key)
    tree->left = insert(tree->left, key);
  else
    tree->right = insert(tree->right, key);
  return tree;
}

static void swap(u32 *a, u32 *b) {
  u32 t = *a;
  *a = *b;
  *b = t;
}

void quicksort(u32 *values, int low, int high) {
  if (low >= high)
    return;
  u32 pivot = values[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (values[i] < pivot)
      ++i;
    while (values[j] > pivot)
      --j;
    if (i <= j)
      swap(&values[i++], &values[j--]);
  }
  quicksort(values, low, j);
  quicksort(values, i, high);
}

void hanoi(int n, int from, int to, int by) {
  if (n == 0)
    return;
  hanoi(n - 1, from, by, to);
  moves += from * 3 + to;
  hanoi(n - 1, by, to, from);
}

int queens(int n, u32 columns, u32 left, u32 right) {
  u32 all = (1u << n) - 1;
  if (columns == all)
    return 1;
  int count = 0;
  for (u32 free = all & ~(columns | left | right); free;) {
    u32 bit = free & -free;
    free ^= bit;
    count += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return count;
}

u32 power(u32 x, u32 n) {
  if (n == 0)
    return 1;
  u32 half = power(x, n / 2);
  return n & 1 ? half * half * x : half * half;
}

void permute(u32 *values, int n, int k) {
  if (k == n) {
    permutations += values[0] * values[n - 1];
    return;
  }
  for (int i = k; i < n; ++i) {
    swap(&values[k], &values[i]);
    permute(values, n, k + 1);
    swap(&values[k], &values[i]);
  }
}

u32 collatz(u32 n) {
  return n == 1 ? 0 : 1 + collatz(n & 1 ? 3 * n + 1 : n / 2);
}
