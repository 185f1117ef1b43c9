#include "model.h"
const float speed = 4500, frequency = 20, tiny = 1e-30f;
