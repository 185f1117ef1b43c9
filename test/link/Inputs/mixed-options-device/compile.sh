set -e
compile() {
  file=$1
  shift
  $CC "$@" -c $file.cu -o $file.$KIND.o
}
KIND=$1
compile main -O2
compile flush -O2 -fcuda-flush-denormals-to-zero
compile keep -O3 -g
compile fast -O2 -ffast-math
compile apart -O2 -ffp-contract=off
compile fused -Os -ffp-contract=fast
compile zero -O0
compile short -O2 -fshort-wchar
compile long -O2 -fno-exceptions -fvisibility=hidden
