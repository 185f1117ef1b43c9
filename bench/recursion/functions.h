// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that call themselves, each in a way of its own.
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

typedef unsigned u32;

struct Tree {
  struct Tree *left, *right;
  u32 key;
};

extern u32 moves, permutations;

u32 fibonacci(u32 n);                                // two calls
u32 ackermann(u32 m, u32 n);                         // a call in a call
int takeuchi(int x, int y, int z);                   // four
u32 sum(const struct Tree *tree);                    // of a tree
u32 height(const struct Tree *tree);                 // none at the end
struct Tree *insert(struct Tree *tree, u32 key);     // one of two
void quicksort(u32 *values, int low, int high);      // behind a loop
void hanoi(int n, int from, int to, int by);         // no result
int queens(int n, u32 columns, u32 left, u32 right); // in a loop
u32 power(u32 x, u32 n);                             // a chain
void permute(u32 *values, int n, int k);             // in a loop, with stores
u32 collatz(u32 n); // a chain that becomes a loop

#endif
