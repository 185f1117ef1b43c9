// Structures of parameters of which kernels know some fields.
#include <cstdio>
#include <cstring>
#define NOINLINE __attribute__((noinline))

struct Params {
  int width, height;
  float *data;
  float scale;
};
int one; // 1 when the program runs
int *shown;

#define PARAMS(name)                                                              \
  Params name##Host;                                                              \
  __constant__ Params name = {5, 5, nullptr, 5};                                  \
  __global__ void name##Use(int *to) {                                            \
    *to = 1000 * name.width + 100 * name.height + int(name.scale);                \
  }
#define COPY(name) cudaMemcpyToSymbol(name, &name##Host, sizeof(Params))
#define SHOW(name)                                                                \
  name##Use<<<1, 1>>>(shown);                                                     \
  print(__func__)

NOINLINE void print(const char *name) {
  int value = 0;
  cudaMemcpy(&value, shown, 4, cudaMemcpyDeviceToHost);
  printf("%s: %d\n", name, value);
}

PARAMS(fields)
NOINLINE void someFields() { // a field of the run among known ones
  fieldsHost.width = 640;
  cudaMalloc(&fieldsHost.data, fieldsHost.width);
  fieldsHost.height = one;
  fieldsHost.scale = 2 * fieldsHost.width;
  COPY(fields);
  SHOW(fields);
}
// CHECK: someFields: 641380
// KNOWN: known-parts.cu:[[@LINE-4]]:3: remark: cudaMemcpyToSymbol in 'someFields()' is needed: {{.*}}; its variable cannot be set from the start: a copy sets bytes that are not known (known-parts.cu:[[@LINE-4]]:3); kernels know 8 of its 24 bytes

PARAMS(branch)
NOINLINE void inOneBranch() { // the initializer's value is copied, too
  if (one > 1) branchHost.width = 640;
  branchHost.height = 4;
  branchHost.scale = one;
  COPY(branch);
  SHOW(branch);
}
// CHECK: inOneBranch: 401
// KNOWN: known-parts.cu:[[@LINE-4]]:3: {{.*}}; kernels know 4 of its 24 bytes

PARAMS(later)
NOINLINE void storedLater() { // another value is copied the second time
  for (int i = 0; i <= one; ++i) {
    laterHost.height = 4;
    laterHost.scale = one;
    COPY(later);
    SHOW(later);
    laterHost.width = 2;
  }
}
// CHECK: storedLater: 401
// CHECK: storedLater: 2401
// KNOWN: known-parts.cu:[[@LINE-7]]:5: {{.*}}; kernels know 4 of its 24 bytes

PARAMS(elsewhere)
NOINLINE void storeElsewhere() { elsewhereHost.width = 3 + one; }
NOINLINE void storedElsewhere() { // another function stores another value
  elsewhereHost.width = 3;
  elsewhereHost.height = 4;
  storeElsewhere();
  COPY(elsewhere);
  SHOW(elsewhere);
}
// CHECK: storedElsewhere: 4400
// KNOWN: known-parts.cu:[[@LINE-4]]:3: {{.*}}; kernels know 8 of its 24 bytes

PARAMS(filled)
NOINLINE void filledBehind() { // a fill may change each field
  filledHost.width = 3;
  filledHost.height = 4;
  memset(reinterpret_cast<char *>(&filledHost) + 4 * one, 0, 4);
  COPY(filled);
  SHOW(filled);
}
// CHECK: filledBehind: 3000
// KNOWN: known-parts.cu:[[@LINE-4]]:3: {{.*}} a copy sets bytes that are not known (known-parts.cu:[[@LINE-4]]:3) [

PARAMS(twice)
NOINLINE void copiedTwice() { // two sources that agree on one field
  Params other = {7, 8, nullptr, 9};
  twiceHost.width = 7;
  twiceHost.height = 1;
  COPY(twice);
  SHOW(twice);
  cudaMemcpyToSymbol(twice, &other, sizeof other);
  SHOW(twice);
}
// CHECK: copiedTwice: 7100
// CHECK: copiedTwice: 7809
// KNOWN: known-parts.cu:[[@LINE-7]]:3: {{.*}} a copy sets bytes that are not known (known-parts.cu:[[@LINE-7]]:3); kernels know 9 of its 24 bytes

PARAMS(before)
NOINLINE void usedBefore() { // a kernel runs before the copy
  beforeHost.width = 7;
  beforeHost.height = one;
  SHOW(before);
  COPY(before);
  SHOW(before);
}
// CHECK: usedBefore: 5505
// CHECK: usedBefore: 7100
// KNOWN: known-parts.cu:[[@LINE-5]]:3: {{.*}} 'beforeUse(int*)' (known-parts.cu:[[@LINE-6]]:3) may read it before it is set

int main(int argc, char **) {
  one = argc;
  cudaMalloc(&shown, 4);
  someFields();
  inOneBranch();
  storedLater();
  storedElsewhere();
  filledBehind();
  copiedTwice();
  usedBefore();
}
