// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

void addUnsigned() { handles[1] = (Handle)scale<unsigned>; }
