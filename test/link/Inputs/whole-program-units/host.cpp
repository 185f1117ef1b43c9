int value = 7, counter = 8;
