int plain(void *p) {
  int *class = p;
  return *class;
}
