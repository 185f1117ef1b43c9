"""Writes a program of several units, host and device code, to the current
directory: main.cu and u0.c to u3.c, four partitions of the host with
--gpulto-partitions=1to1 and one of the device.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
UNITS = 4
for n in range(UNITS):
    lines = [f"int value{n}(int x) {{ int s = x;"]
    for i in range(60):
        lines.append(f"  if (s % {i + 3} == {n}) s = s * {2 * i + 1} + {i};")
    lines.append(f"  return x == 1 ? {n + 1} : s; }}")
    with open(f"u{n}.c", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
with open("main.cu", "w", encoding="utf-8") as file:
    file.write("#include <cstdio>\n")
    for n in range(UNITS):
        file.write(f'extern "C" int value{n}(int);\n')
    file.write("__global__ void scale(int *p, int n) "
               "{ if (threadIdx.x < n) p[threadIdx.x] *= 3; }\n")
    total = " + ".join(f"value{n}(c)" for n in range(UNITS))
    file.write("int main(int c, char **) {\n"
               "  if (c > 5) scale<<<1, 32>>>(nullptr, c);\n"
               f'  std::printf("sum %d\\n", {total});\n}}\n')
