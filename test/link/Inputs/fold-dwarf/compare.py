# Compares each call site in `dwarf` of a function in `symbols` that leads a class
# with what gpulto says of it, and prints it.
import re
import subprocess
import sys

gpulto, program = sys.argv[1:]
symbols = {line.split()[-1]: line.split()[0] for line in open("symbols")}
names, sites, refers = {}, [], {}
entry = site = None
for line in open("dwarf"):
    if match := re.match(r"(0x\w+):\s+(DW_TAG_\w+)", line):
        entry, site = match.group(1), None
        if match.group(2) == "DW_TAG_call_site":
            site = {}
            sites.append(site)
    elif match := re.search(r"DW_AT_linkage_name\s+\(\"(.*)\"\)", line):
        names[entry] = match.group(1)
    elif match := re.search(r"DW_AT_(?:specification|abstract_origin)\s+\((0x\w+)", line):
        refers[entry] = match.group(1)
    elif site is not None and (match := re.search(
            r"DW_AT_call_(origin|return_pc)\s+\((0x\w+)", line)):
        site[match.group(1)] = match.group(2)


def name_of(entry):
    while entry not in names and entry in refers:
        entry = refers[entry]
    return names.get(entry)


folds = subprocess.run([gpulto, "dump", "--folds", program], check=True,
                       capture_output=True, text=True).stdout
leader_of = {}
for line in folds.splitlines():
    words = line.split()
    if words[0] == "leads":
        leader = words[1]
    if words[0] in ("leads", "folded"):
        leader_of[words[1]] = leader
count = 0
for site in sites:
    origin = name_of(site.get("origin"))
    if origin not in leader_of:
        continue
    frames = subprocess.run(
        [gpulto, "symbolize", program,
         hex(int(symbols[leader_of[origin]], 16)), site["return_pc"]],
        check=True, capture_output=True, text=True).stdout
    named = frames.splitlines()[0].split(" ", 2)[2]
    demangled = subprocess.run(["c++filt", origin], check=True,
                               capture_output=True, text=True).stdout.strip()
    if named != demangled:
        sys.exit(f"{site}: {demangled}, but the table says {named}")
    print(demangled)
    count += 1
if not count:
    sys.exit("no call sites")
