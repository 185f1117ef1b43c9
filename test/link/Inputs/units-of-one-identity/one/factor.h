#define FACTOR 3
#define RUN runOne
