#!/usr/bin/env bash
# Compiles files as for one program, each to FILE.o: with -flto=gpu -O2, CUDA for
# sm_90 and with %light; native.* without -flto. What a test has compiled of the same
# sources is taken from there, until our compiler is built anew. %objects of
# test/lit.cfg.py; %plan uses it, too.
#
#   %objects FILE...
#
# The first four arguments are of lit.cfg.py.
set -eu
bin=$1 cuda=$2 light=$3 kept=$4
shift 4
compile() {
  local lto="-flto=gpu -O2"
  case $1 in native.*) lto=-O2 ;; esac
  case $1 in
    *.cu) "$bin/gpulto-clang++" $lto --offload-arch=sm_90 --cuda-path="$cuda" \
      $light -c "$1" -o "$2" ;;
    *.c) "$bin/gpulto-clang" $lto -I"$cuda/include" -c "$1" -o "$2" ;;
    *) "$bin/gpulto-clang++" $lto -I"$cuda/include" -c "$1" -o "$2" ;;
  esac
}
tools=$(stat -Lc %Y-%s "$bin/gpulto-clang++" "$bin/../lib/gpulto/gpulto-lgen.so")
sources=$({
  echo "$tools $cuda $light"
  find . "${0%/*}/light" -name '*.[chid]*' -type f -print0 | LC_ALL=C sort -z |
    xargs -0 sha1sum
} | sha1sum)
for file; do
  object=${file%.*}.o
  from=$kept/${sources%% *}.$object
  if ! cp "$from" "$object" 2> /dev/null; then
    compile "$file" "$object"
    mkdir -p "$kept"
    cp "$object" "$from.$$" && mv "$from.$$" "$from"
  fi
done
