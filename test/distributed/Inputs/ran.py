"""ran.py STATISTICS ELSEWHERE: so many jobs of the link ran elsewhere, the
others here.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys
with open(sys.argv[1], encoding="utf-8") as stats:
    jobs = json.load(stats)["jobs"]
ran = [job["ran"] for job in jobs]
assert len(jobs) == 6, jobs
assert ran.count("elsewhere") == int(sys.argv[2]), ran
assert all(job["wall-ms"] > 0 and job["cpu-ms"] > 0 and job["phases"]
           and job["peak-memory-bytes"] > 1 << 20 for job in jobs), jobs
