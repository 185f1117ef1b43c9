import json, sys
jobs = json.load(open(sys.argv[1] + ".stats"))["jobs"]
assert all(job["taken-memory-bytes"] for job in jobs), jobs
print(max(max(job["expected-memory-bytes"], job["taken-memory-bytes"])
          for job in jobs) * 3 // 2)
