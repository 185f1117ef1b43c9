set -e
options=$1 kind=$2
for file in one two deep; do
  $CLANG $options --offload-new-driver -fgpu-rdc -foffload-lto \
    --offload-arch=sm_90 --cuda-path=$CUDA $LIGHT \
    -Wno-unknown-cuda-version -c $file.cu -o $file.$kind.o
done
$CLANG $options -I$CUDA/include -c main.cpp -o main.$kind.o
