#include "state.h"
int last, history[4];
volatile int watched;
std::atomic<int> published;
int shared, address, counted;
__attribute__((used)) int named;
