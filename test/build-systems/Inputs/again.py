"""again.py DRIVER DATABASE: repeats the driver's commands in the database into
other files and compares; a source's first command is the driver's."""
import filecmp, json, os, shlex, subprocess, sys

driver, database = sys.argv[1:]
seen = set()
for entry in sorted(json.load(open(database)), key=lambda e: e["file"]):
    words = entry.get("arguments") or shlex.split(entry["command"])
    if words[0] != driver:
        assert entry["file"] in seen, f"not the driver's: {words}"
        continue
    seen.add(entry["file"])
    place = words.index("-o") + 1
    built = os.path.join(entry["directory"], words[place])
    words[place] += ".again"
    subprocess.run(words, cwd=entry["directory"], check=True)
    assert filecmp.cmp(built, built + ".again", shallow=False), entry["file"]
    print(os.path.basename(entry["file"]), "is the same")
