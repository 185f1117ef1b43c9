void runA(), runC();
int main() { runA(), runC(); }
