static volatile int five = 5;
int kandr();
int callKandr() { return kandr(five, 1); }
