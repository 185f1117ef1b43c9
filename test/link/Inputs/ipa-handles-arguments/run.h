#pragma once
using Kernel = void (*)(int);
void run(Kernel kernel, int value);
