set -e
name=$1
shift
for linker in lld gold bfd mold; do
  gpulto-clang++ -flto=gpu -fuse-ld=$linker -I$CUDA/include "$@" \
    -o $name.$linker -L$CUDA/lib64 -lcudart -Wl,-rpath,$CUDA/lib64
  gpulto-run --emulate ./$name.$linker > $name.$linker.out
done
