set -e
compile() {
  source=$1 name=$2
  shift 2
  $CC -O2 -DNAME=$name "$@" -c $source -o $name.$KIND.o
}
KIND=$1
compile main.cu main
compile device.cu fast
compile device.cu honoring -ffp-contract=fast-honor-pragmas
compile on.cu on -ffp-contract=on
compile off.cu off -ffp-contract=off
compile host.cpp hostFast -mfma -ffp-contract=fast
compile host.cpp hostOff -mfma -ffp-contract=off
