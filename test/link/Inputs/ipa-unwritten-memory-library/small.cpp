#include <sys/syscall.h>
#include <unistd.h>
extern "C" float nextafterx(float x, float y);
float number(int n) {
#ifdef CALL
  return syscall(SYS_getpid);
#else
  return nextafterx(n, 2);
#endif
}
