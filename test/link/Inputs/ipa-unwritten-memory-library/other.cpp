extern "C" float nextafterx(float x, float) { return x; }
