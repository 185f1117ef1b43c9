struct Box {
  int id;
  double width, height;
  const char *name;
};
struct Large {
  long a, b, c;
};
double area(const Box &box);
[[noreturn]] void throw_(const Box &box, int unused) __asm__("_Z5throwRK3Boxi");
const char *nameOf(const Box *box);
int after(const int &a, int *b);
int maybe(const int *p, int n);
long large(const Large &);
int taken(const int &);
struct Context {
  int *sum, *count;
};
void count(const Context &context, int n);
extern int (*pointer)(const int &);
