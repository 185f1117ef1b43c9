struct Op { int block; const char *name; void *kernel; };
static void *seen;
extern "C" void nativeLook(Op *op) {
  seen = op->kernel;
  op->kernel = seen;
}
