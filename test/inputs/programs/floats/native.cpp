#include "model.h"
extern const float ofNative = 5;
