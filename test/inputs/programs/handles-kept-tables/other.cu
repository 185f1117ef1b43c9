#include "all.h"
const Kernel listed[2] = {north, south};
