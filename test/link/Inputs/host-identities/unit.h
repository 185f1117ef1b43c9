struct Base {
  virtual ~Base();
  virtual int id() const = 0;
};
extern const int a[4], b[4], c[4];
void walk(int n, const char *steps);
const char *tag(), *sameTag();
bool isTag(const char *);
const char *byDefault();
bool isDefault(const char *);
const int *list(), *sameList();
void keepTag(const char **where), keepTagToo(const char **where);
bool isList(const int *);
Base *make(bool isSecond);
bool isFirst(const Base *), isSecond(const Base *);
