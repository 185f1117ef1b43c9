import re
import sys
texts = [re.sub(r"//.*", "", open(path).read()) for path in sys.argv[1:]]
for name in ("_Z5worsePfPKfi", "_Z6betterPfPKfi"):
    a, b = (re.search(r"\.entry " + name + r"\(.*?\n}", t, re.S).group(0)
            for t in texts)
    print(name, "same" if a == b else "differs")
