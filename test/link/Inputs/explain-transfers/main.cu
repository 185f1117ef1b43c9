#include <cstdlib>
void again(float *, int), parts(float *, int), unread(float *, int), unknown(float *, int);
float rounds(float *, int), *elsewhere;
int main(int count, char **) {
  float *h = (float *)malloc(count * 4);
  for (int i = 0; i < count; ++i)
    h[i] = i;
  again(h, count);
  float sum = rounds(h, count);
  parts(h, count);
  unread((float *)malloc(count * 4), count);
  unknown(h, count);
  return sum;
}
