import json
import sys
counters = json.load(open(sys.argv[1]))["counters"]
for prefix in ("launch-sites", "launch-scalars", "launch-aggregates",
               "kernels-launched", "kernels-block", "kernels-grid",
               "kernels-argument"):
    for name in sorted(n for n in counters if n.startswith(prefix)):
        print(name, counters[name])
