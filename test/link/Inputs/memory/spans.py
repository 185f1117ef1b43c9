import json
def spans(name):
    """When the jobs of a link ran, in microseconds since 1970."""
    trace = json.load(open(name + ".trace"))
    start = trace["beginningOfTime"]
    return [(start + e["ts"], start + e["ts"] + e["dur"])
            for e in trace["traceEvents"]
            if e.get("ph") == "X" and e["name"] == "LTRANS"]
