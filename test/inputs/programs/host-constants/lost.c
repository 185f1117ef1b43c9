// Its own weak body loses, but lives on under the alias.
static __attribute__((noinline)) int helper(int n) { return n; }
__attribute__((weak, noinline)) int losing(int n) { return helper(n + 1); }
static int own(int n) __attribute__((alias("losing")));
int callsLosing(void) { return helper(0) + own(3); }
