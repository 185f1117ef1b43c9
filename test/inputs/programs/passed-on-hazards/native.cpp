struct Solver;
extern "C" void runFromNative(Solver *s, int n);
extern "C" void callNative(Solver *s) { runFromNative(s, 708); }
