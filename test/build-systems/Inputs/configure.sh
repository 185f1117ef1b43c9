# configure.sh DIRECTORY CUDA FLAGS NAME OPTION...: configures examples/shapes in
# DIRECTORY/NAME with the gpulto that is installed in DIRECTORY/prefix, whose
# clang++ compiles CUDA, unless an option says otherwise.
directory=$1 cuda=$2 flags=$3 name=$4
shift 4
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../examples/shapes" && pwd)
CUDA_PATH=$cuda cmake -S "$source" -B "$directory/$name" \
  -DCMAKE_TOOLCHAIN_FILE="$directory/prefix/lib/cmake/gpulto/gpulto-toolchain.cmake" \
  -DGPULTO_CUDA_DIALECT=clang -DCMAKE_CUDA_FLAGS="$flags" \
  -DCMAKE_CUDA_ARCHITECTURES=90 -DCMAKE_BUILD_TYPE=Release \
  -DCUDAToolkit_ROOT="$cuda" "$@" >"$directory/$name.configure.log" 2>&1 || {
  cat "$directory/$name.configure.log"
  exit 1
}
