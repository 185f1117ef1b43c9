import sys
from spans import spans
jobs = sorted(span for name in sys.argv[1:] for span in spans(name))
assert len(jobs) == 4 * len(sys.argv[1:]), jobs
for before, after in zip(jobs, jobs[1:]):
    assert before[1] <= after[0], jobs
