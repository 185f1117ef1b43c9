set -e
compile() { $NVCC -O2 -rdc=true -c "$@"; }
compile theirs.cu -o ptx.o -gencode arch=compute_90,code=compute_90
cp ptx.o ptx90.o
compile theirs.cu -o old.o -gencode arch=compute_80,code=compute_80
compile theirs.cu -o dlto.o -arch=sm_90 -dlto
compile theirs.cu -o both.o -gencode arch=compute_80,code=[sm_80,compute_80] \
  -gencode arch=compute_90,code=[sm_90,compute_90]
compile theirs.cu -o cubin.o -gencode arch=compute_90,code=sm_90
compile theirs.cu -o lto.o -gencode arch=compute_90,code=lto_90
compile helper.cu -o helper.o -gencode arch=compute_90,code=[sm_90,compute_90]
compile user.cu -o user.o -gencode arch=compute_90,code=[sm_90,compute_90]
compile lone.cu -o lone.o -gencode arch=compute_90,code=[sm_90,compute_90]
compile cdp.cu -o cdp.o -gencode arch=compute_90,code=[sm_90,compute_90]
