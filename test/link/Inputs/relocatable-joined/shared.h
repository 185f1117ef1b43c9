#include <cstdio>
int pick(), other(), fromWeak(), localOfStrong(), runKernel();
inline int counter() { static int n; return ++n; }
static int local() { return 5; }
