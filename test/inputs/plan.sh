#!/usr/bin/env bash
# What whole-program analysis decides, without the jobs that carry it out: compiles
# files as for one program, links them up to the end of WPA and prints what the link
# says, remarks above all. %plan of test/lit.cfg.py.
#
#   %plan [--roles] [OPTION]... FILE...
#
# An OPTION is the link's. FILEs are compiled by %objects (objects.sh), and once only:
# FILE.o is taken if it is there already, so that further plans in the same directory
# cost a tenth of a second. *.ll become bitcode of stock clang; objects and libraries
# are given as they are. The jobs stay in plan.gpulto-jobs, for `gpulto dump`. --roles prints which
# job defines and which imports each symbol, by `gpulto dump`:
#
#   job 0 host: define main
#
# The first five arguments are of lit.cfg.py.
set -eu
bin=$1 llvm=$2 cuda=$3 light=$4 kept=$5
shift 5
options=() objects=() roles=
for word; do
  object=${word%.*}.o
  case $word in
    --roles) roles=1; continue ;;
    -*) options+=("$word"); continue ;;
    *.o | *.a | *.so) objects+=("$word"); continue ;;
  esac
  objects+=("$object")
  [ ! -e "$object" ] || continue
  case $word in
    *.ll) "$llvm/llvm-as" "$word" -o "$object" ;;
    *) bash "${0%/*}/objects.sh" "$bin" "$cuda" "$light" "$kept" "$word" ;;
  esac
done
rm -rf plan.gpulto-jobs
"$bin/gpulto-clang++" -flto=gpu "${objects[@]}" -o plan --gpulto-emit=ninja \
  "${options[@]}" 2>&1
[ -n "$roles" ] || exit 0
for job in plan.gpulto-jobs/*.job.json; do
  "$bin/gpulto" dump "$job" | awk -F'"' '
    $2 == "index" { index_ = $3; gsub(/[^0-9]/, "", index_) }
    $2 == "side" { side = $4 }
    $2 == "arch" && $4 != "" { side = $4 }
    $2 == "name" { name = $4 }
    $2 == "role" { print "job " index_ " " side ": " $4 " " name }'
done
