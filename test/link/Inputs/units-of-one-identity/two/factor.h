#define FACTOR 5
#define RUN runTwo
