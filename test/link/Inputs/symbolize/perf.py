import bisect
import sys
symbols = []
for line in open(sys.argv[1]):
    address, kind, name = line.split(None, 2)
    if kind in "tTwW":
        symbols.append((int(address, 16), name.strip()))
symbols.sort()
frames = [int(line, 16) for line in open(sys.argv[2]).readlines()[:5]]
def show(address):
    start, name = symbols[bisect.bisect(symbols, (address, "~")) - 1]
    print("\t    %x %s+0x%x (/tmp/some where/app)" %
          (address + 0x55aa00000000, name, address - start))
print("app 12345 1000.5: 1 cycles:u:")
for frame in frames:
    show(frame)
print("\t    7f0000001234 __libc_start_main+0x12 (/lib/libc.so.6)\n")
print("app 12345 1000.6: 1 cycles:u:")
# As perf demangles.
print("\t    55aa00000000 inner<long>+0x2 (/tmp/some where/app)")
