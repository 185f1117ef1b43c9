static int value;
static struct Init { Init() { value = 5; } } init;
int late() { return value; }
