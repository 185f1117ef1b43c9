import json
s = json.load(open("stats.json"))
counters = s["counters"]
print("checked", counters["kernels-checked"], "taken back",
      counters["kernels-taken-back"])
phases = [p["name"] for j in s["jobs"] for p in j["phases"]]
print("phase", "checking kernels" in phases and
      counters["check-kernels-cpu-ms"] > 0)
print("trace", any(e["name"] == "Check kernels"
                   for e in json.load(open("trace.json"))["traceEvents"]))
