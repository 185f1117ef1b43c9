import sys
def stacks(path):
    text = open(path).read().strip()
    return [[line.split(" ", 2)[2] for line in stack.split("\n")]
            for stack in text.split("\n\n")]
right = ambiguous = 0
truth, shown = (stacks(path) for path in sys.argv[1:])
assert len(truth) == len(shown)
for expected, found in zip(truth, shown):
    assert len(expected) == len(found), (expected, found)
    for name, names in zip(expected, found):
        candidates = names.removeprefix("one of: ").split(" | ")
        assert name in candidates, (expected, found)
        if len(candidates) == 1:
            right += 1
        else:
            ambiguous += 1
share = right / (right + ambiguous)
print(len(truth), "stacks,", right + ambiguous, "frames,", share, "named")
print("right enough" if share >= 0.99 else "too many are ambiguous")
