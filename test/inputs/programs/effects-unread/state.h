#pragma once
#include <atomic>
extern int last, history[4];
extern volatile int watched;
extern std::atomic<int> published;
extern int shared, named, address, counted;
int work(int n);
int filled(int n);
int asVolatile(int n);
int asAtomic(int n);
int forNative(int n);
int forAssembly(int n);
int readNamed();
int kept(int n);
int readToo(int n);
