#pragma once
int callsNative(int n);
int native(int n);
int readsVolatile();
int countsUp(const int *p);
int withAssembly(int n);
void throwsOdd(int n);
int throughThrower(int n);
extern "C" {
int spins(int n);
int recursive(int n);
}
