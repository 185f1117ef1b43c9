#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <cwchar>
#include <cwctype>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <thread>
#include <typeinfo>
struct Base { virtual ~Base() {} };
struct Derived : virtual Base { int value = 4; };
static float draw(unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> even;
  std::normal_distribution<double> normal(0, 1);
  std::poisson_distribution<int> poisson(8.5);
  return even(engine) + normal(engine) + poisson(engine);
}
static double calculate(double x, long double y) {
  std::complex<double> z(x, 2);
  z = std::exp(z) * std::sqrt(z) / (z + 1.0);
  return std::hypot(x, 3.0) + std::lgamma(x) + std::fma(x, x, x) + std::lround(x) + z.real() + double(std::hypot(y, y)) + std::isnan(x);
}
static long wide(long x) {
  __int128 product = __int128(x) * 123456789012345;
  wchar_t text[8];
  swprintf(text, 8, L"%d", int(x));
  return long(product / 3 % 7) + wcslen(text) + std::towupper(text[0]) + std::isalpha(int(x));
}
float number(int n) {
  std::shared_ptr<Base> object = std::make_shared<Derived>();
  if (auto *derived = dynamic_cast<Derived *>(object.get()))
    std::cout << derived->value << " " << typeid(*object).name() << std::endl;
  std::future<float> later = std::async(std::launch::async, [&] { return draw(n); });
  std::atomic<int> flag{1};
  flag.wait(0);
  flag.notify_all();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::ostringstream text;
  text << calculate(n, n) << wide(n);
  std::ofstream("lines.txt") << text.str();
  text << std::filesystem::exists("lines.txt") << std::filesystem::file_size("lines.txt");
  return text.str().size() + std::nextafter(later.get(), 2.0f);
}
