// A table of 4 GiB with a header and trailers; its pages are not touched.
struct Table {
  int first;
  char rows[(1ull << 31) - 2 * sizeof(int)];
  int below, middle, above;
  char more[(1ull << 31) - 2 * sizeof(int)];
  int last;
};
static_assert(__builtin_offsetof(Table, middle) == 1ull << 31);
static_assert(__builtin_offsetof(Table, last) == 1ull << 32);
struct Row {
  int value;
  char rest[(1ull << 30) - sizeof(int)];
};
#define KERNEL(name)                                                           \
  __global__ void name(int *p, int a, int b, int c, int d, int e) {            \
    p[0] = a, p[1] = b, p[2] = c, p[3] = d, p[4] = e;                          \
  }
void runApart(int *p, const Table &t);
void runRow(int *p, const Row *rows);
void runCopied(int *p, const Table &t);
void runLeft(int *p, const Table &t);
void fill(Table &t, int first, int last);
void show(const char *name, int *p, int count);
