set -e
compile() {
  file=$1
  shift
  $CC $OPTIONS "$@" -c $file.c -o $file.$KIND.o
}
OPTIONS=$1 KIND=$2
compile main -O2
compile protected -O2 -fcf-protection=full -fno-exceptions
compile open -O3 -fvisibility=hidden -g
compile wide -O3 -march=haswell -ffast-math
compile narrow -O3
compile fused -O2 -mfma -ffp-contract=fast
compile separate -O2 -mfma -ffp-contract=off
compile noplt -O2 -fno-plt -fPIC
compile plt -O2 -fPIE
compile zero -O0
compile guarded -Os -fstack-protector-all
compile short -O2 -fshort-wchar
compile long -O2 -fsemantic-interposition -fPIC -fno-unwind-tables
compile strict -O2 -ffp-model=strict
compile fast -O2 -ffast-math -gdwarf-4
