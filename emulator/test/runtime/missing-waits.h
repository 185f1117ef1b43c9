// Rows of the table of --deferred in emulator/README.md: after each call
// the value that is there at once, and the one after a wait. Included by
// missing-waits.cu, which runs it as usual, and by missing-waits-deferred.cu.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void set(int *p, int value) { *p = value; }

static int *device, *other, *pinned, *managed;
static cudaStream_t stream;
static int pageable;

/// The memory as a stream sees it that waits for nobody.
static int look(const int *p) {
  static int *window;
  static cudaStream_t aside;
  if (!window) {
    cudaMallocHost(&window, sizeof(int));
    cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking);
  }
  *window = -1;
  cudaMemcpyAsync(window, p, sizeof(int), cudaMemcpyDefault, aside);
  cudaStreamSynchronize(aside);
  return *window;
}

/// Puts 1 everywhere, with nothing left to do.
static void reset() {
  pageable = *pinned = *managed = 1;
  set<<<1, 1>>>(device, 1);
  set<<<1, 1>>>(other, 1);
  cudaDeviceSynchronize();
}

template <typename Body>
static void row(const char *name, const int *p, Body body) {
  reset();
  body();
  bool isHost = p != device;
  int atOnce = isHost ? *static_cast<const volatile int *>(p) : look(p);
  cudaDeviceSynchronize();
  printf("%s: %d, then %d\n", name, atOnce, isHost ? *p : look(p));
}

static void synchronousCopies() {
  constexpr size_t n = sizeof(int);
  row("memcpy from pageable", device, [] {
    set<<<1, 1, 0, stream>>>(other, 5); // Waited for before the copy.
    pageable = 2;
    cudaMemcpy(device, &pageable, n, cudaMemcpyHostToDevice);
    pageable = 3;
    printf("other is %d\n", look(other));
  });
  row("memcpy from pinned", device, [] {
    *pinned = 2;
    cudaMemcpy(device, pinned, n, cudaMemcpyHostToDevice);
    *pinned = 3;
  });
  row("memcpy to pageable", &pageable, [] {
    set<<<1, 1>>>(device, 2);
    cudaMemcpy(&pageable, device, n, cudaMemcpyDeviceToHost);
  });
  row("memcpy to pinned", pinned, [] {
    set<<<1, 1>>>(device, 2);
    cudaMemcpy(pinned, device, n, cudaMemcpyDeviceToHost);
  });
  row("memcpy on the device", device, [] {
    set<<<1, 1>>>(other, 2);
    cudaMemcpy(device, other, n, cudaMemcpyDeviceToDevice);
  });
  row("memcpy on the host", &pageable, [] {
    *pinned = 2;
    cudaMemcpyAsync(&pageable, pinned, n, cudaMemcpyHostToHost, stream);
  });
  row("memset", device, [] { cudaMemset(device, 0, n); });
  row("memset of pinned", pinned, [] { cudaMemset(pinned, 0, n); });
  row("memset of managed", managed, [] { cudaMemset(managed, 0, n); });
}

static void asynchronousCopies() {
  constexpr size_t n = sizeof(int);
  row("async from pageable", device, [] {
    pageable = 2;
    cudaMemcpyAsync(device, &pageable, n, cudaMemcpyHostToDevice, stream);
    pageable = 3;
  });
  row("async from pinned", device, [] {
    *pinned = 2;
    cudaMemcpyAsync(device, pinned, n, cudaMemcpyHostToDevice, stream);
    *pinned = 3;
  });
  row("async to pageable", &pageable, [] {
    set<<<1, 1, 0, stream>>>(device, 2);
    cudaMemcpyAsync(&pageable, device, n, cudaMemcpyDeviceToHost, stream);
  });
  row("async to pinned", pinned, [] {
    set<<<1, 1, 0, stream>>>(device, 2);
    cudaMemcpyAsync(pinned, device, n, cudaMemcpyDeviceToHost, stream);
  });
  row("memset async", device, [] { cudaMemsetAsync(device, 0, n, stream); });
}

static void others() {
  row("launch", device, [] { set<<<1, 1>>>(device, 2); });
  row("managed", managed, [] { set<<<1, 1>>>(managed, 2); });
  row("free", pinned, [] {
    int *p;
    cudaMalloc(&p, sizeof(int));
    set<<<1, 1, 0, stream>>>(pinned, 2);
    cudaFree(p);
  });
  row("free async", pinned, [] {
    int *p;
    cudaMallocAsync(&p, sizeof(int), stream);
    set<<<1, 1, 0, stream>>>(pinned, 2);
    cudaFreeAsync(p, stream);
  });
  row("destroyed stream", pinned, [] {
    cudaStream_t brief;
    cudaStreamCreate(&brief);
    set<<<1, 1, 0, brief>>>(pinned, 2);
    cudaStreamDestroy(brief);
  });
  row("free host", pinned, [] {
    int *p;
    cudaMallocHost(&p, sizeof(int));
    set<<<1, 1, 0, stream>>>(pinned, 2);
    cudaFreeHost(p);
  });
  row("unregister", pinned, [] {
    static int registered;
    cudaHostRegister(&registered, sizeof(int), 0);
    set<<<1, 1, 0, stream>>>(pinned, 2);
    cudaHostUnregister(&registered);
  });
  row("query", pinned, [] {
    set<<<1, 1, 0, stream>>>(pinned, 2);
    int first = cudaStreamQuery(stream), seen = *pinned;
    printf("query %d, %d, then %d\n", first, seen, cudaStreamQuery(stream));
  });
}

int main() {
  cudaMalloc(&device, sizeof(int));
  cudaMalloc(&other, sizeof(int));
  cudaMallocHost(&pinned, sizeof(int));
  cudaMallocManaged(&managed, sizeof(int));
  cudaStreamCreate(&stream);
  synchronousCopies();
  asynchronousCopies();
  others();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  set<<<1, 1>>>(pinned, 9);
  printf("end\n"); // Nobody waits for that launch.
}
