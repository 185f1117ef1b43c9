#!/usr/bin/env bash
# Compares programs with their plain build: builds the sources given plain, runs
# that and the programs on the emulator and fails if one of them prints something
# else. What each has printed stays in plain.txt and PROGRAM.txt. %same of
# test/lit.cfg.py.
#
#   %same [--joined] [OPTION]... FILE... -- PROGRAM...
#
# FILEs and OPTIONs are those of the compiler; CUDA is for sm_90, with %light.
# --joined: the CUDA files are one translation unit, all.cu, as device code needs
# that calls from file to file. The program `plain` runs by its PTX, so what stands
# for ptxas gives it an empty cubin, made once for all tests.
#
# The first four arguments are of lit.cfg.py.
set -eu
bin=$1 cuda=$2 light=$3 stub=$4
shift 4
if [ ! -e "$stub" ]; then
  scratch=$(mktemp -d "$stub.XXXXXX")
  printf '.version 8.0\n.target sm_90\n.address_size 64\n' > "$scratch/empty.ptx"
  "$cuda/bin/ptxas" -arch=sm_90 "$scratch/empty.ptx" -o "$scratch/empty.cubin"
  cat > "$scratch/ptxas" << EOF
#!/bin/sh
while [ "\$1" != --output-file ]; do shift; done
exec cp "$stub/empty.cubin" "\$2"
EOF
  chmod +x "$scratch/ptxas"
  mv -T "$scratch" "$stub" 2> /dev/null || rm -r "$scratch" # another was faster
fi
files=() cu=() joined=
while [ "$1" != -- ]; do
  case $1 in
    --joined) joined=1 ;;
    *.cu) cu+=("$1") ;;
    *) files+=("$1") ;;
  esac
  shift
done
shift
if [ -n "$joined" ]; then
  printf '#include "%s"\n' "${cu[@]}" > all.cu
  cu=(all.cu)
fi
"$bin/gpulto-clang++" -O2 --offload-arch=sm_90 --cuda-include-ptx=all \
  --ptxas-path="$stub/ptxas" --cuda-path="$cuda" $light -I"$cuda/include" \
  "${cu[@]}" "${files[@]}" -o plain \
  -L"$cuda/lib64" -lcudart -Wl,-rpath,"$cuda/lib64"
for program in plain "$@"; do
  "$bin/gpulto-run" --emulate "./$program" > "$program.txt"
  cmp plain.txt "$program.txt"
done
