struct Object {
  int head[4];
  int tail[2];
};
void head(int *p);
void passOn(int *p);
void reachFarther(int *p);
void index(int *p, int i);
void callItself(int *p, int depth);
void save(int *p);
void changeSaved();
