#include "kernels.h"
static void print(const char *what, const int *from) {
  int value[2];
  cudaMemcpy(value, from, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d %d\n", what, value[0], value[1]);
}
int main(int argc, char **argv) {
  {
    Array a(64), b(a);
    NoCopy<<<1, 1>>>(a.data, b.data, 6);
    print("NoCopy", a.data);
    b.data = nullptr;
  }
  {
    Array a(64), b(64);
    int *own = b.data;
    b.share(a);
    NoStore<<<1, 1>>>(a.data, b.data, 7);
    print("NoStore", a.data);
    b.data = own;
  }
  {
    Array a(64), b(64);
    int *own = b.data;
    keep(&b);
    changeKept(a.data);
    NoKept<<<1, 1>>>(a.data, b.data, 8);
    print("NoKept", a.data);
    b.data = own;
  }
  {
    Array a(64), b(64);
    int *own = b.data;
    b.data = a.data;
    try {
      fillOrThrow(&b, argc);
    } catch (int) {
    }
    NoThrow<<<1, 1>>>(a.data, b.data, 9);
    print("NoThrow", a.data);
    b.data = own;
  }
}
