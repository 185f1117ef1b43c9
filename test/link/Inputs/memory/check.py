import json, sys
name, limit = sys.argv[1], int(sys.argv[2])
stats = json.load(open(name + ".stats"))
counters, jobs = stats["counters"], stats["jobs"]
assert len(jobs) == 4
assert counters["memory-limit-bytes"] == limit, counters
assert counters["memory-jobs-alone"] == (4 if limit == 1024 else 0), counters
expected = max(job["expected-memory-bytes"] for job in jobs)
taken = max(job["taken-memory-bytes"] for job in jobs)
if limit == 1024:
    assert counters["memory-expected-peak-bytes"] == expected, counters
    assert counters["memory-peak-bytes"] == taken, counters
    assert counters["memory-wait-ms"] > 0, counters
else:
    assert counters["memory-expected-peak-bytes"] <= limit, counters
