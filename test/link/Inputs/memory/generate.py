for n in range(4):
    lines = [f"int value{n}(int x) {{ int s = x;"]
    for i in range(100):
        lines.append(f"  if (s % {i + 3} == {n}) s = s * {2 * i + 1} + {i};")
    lines.append(f"  return x == 1 ? {n + 1} : s; }}")
    if n == 0:
        lines += [f"int value{k}(int);" for k in range(1, 4)]
        total = " + ".join(f"value{k}(c)" for k in range(4))
        lines.append(f"int main(int c, char **v) {{ return {total} != 10; }}")
    open(f"f{n}.c", "w").write("\n".join(lines) + "\n")
