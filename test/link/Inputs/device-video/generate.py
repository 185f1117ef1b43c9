# Each function with a reference that computes lane by lane.
functions = []
def add(name, signed, body, operands=2):
    for lanes in (2, 4):
        functions.append((name + str(lanes), lanes, signed, body, operands))
for letter, signed in ("s", 1), ("u", 0):
    add(f"vmax{letter}", signed, "x > y ? x : y")
    add(f"vmin{letter}", signed, "x < y ? x : y")
    add(f"vabsdiff{letter}", signed, "x > y ? x - y : y - x")
    add(f"vadd{letter}s", signed, "clamp(x + y)")
    add(f"vsub{letter}s", signed, "clamp(x - y)")
    add(f"vavg{letter}", signed, "(x + y + (x + y >= 0)) >> 1")
    for how, sign in ("ge", ">="), ("gt", ">"), ("le", "<="), ("lt", "<"):
        add(f"vcmp{how}{letter}", signed, f"x {sign} y ? -1 : 0")
        add(f"vset{how}{letter}", signed, f"x {sign} y")
for how, sign in ("eq", "=="), ("ne", "!="):
    add(f"vcmp{how}", 0, f"x {sign} y ? -1 : 0")
    add(f"vset{how}", 0, f"x {sign} y")
add("vadd", 0, "x + y")
add("vsub", 0, "x - y")
add("vhaddu", 0, "(x + y) >> 1")
add("vabs", 1, "x < 0 ? -x : x", 1)
add("vabsss", 1, "clamp(x < 0 ? -x : x)", 1)
add("vneg", 1, "-x", 1)
add("vnegss", 1, "clamp(-x)", 1)
kernels, references, rows = [], [], []
for name, lanes, signed, body, operands in functions:
    values = "a[i], b[i]" if operands == 2 else "a[i]"
    kernels.append(f"""__global__ void k_{name}(unsigned *r, const unsigned *a, const unsigned *b) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  r[i] = __{name}({values});
}}""")
    references.append(f"""static unsigned r_{name}(unsigned a, unsigned b) {{
  return each<{lanes}, {signed}>(a, b, [](int x, int y, auto clamp) {{ return int({body}); }});
}}""")
    rows.append(f'  right += check("{name}", k_{name}, r_{name});')
text = open("main.in").read()
text = text.replace("KERNELS", "\n".join(kernels + references))
text = text.replace("ROWS", "\n".join(rows))
open("main.cu", "w").write(text)
