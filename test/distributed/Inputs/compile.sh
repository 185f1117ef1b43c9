# compile.sh BIN CUDA: the objects that link.sh links.
set -e
"$1/gpulto-clang++" -flto=gpu -O2 --offload-arch=sm_90 --cuda-path="$2" \
  -nocudainc -I "$(dirname "$0")/../../inputs/light" -I "$2/include" \
  -include cuda_runtime.h -c main.cu
for unit in u0 u1 u2 u3; do "$1/gpulto-clang" -flto=gpu -O2 -c $unit.c; done
ar rcs libu.a u2.o u3.o
rm u2.o u3.o
