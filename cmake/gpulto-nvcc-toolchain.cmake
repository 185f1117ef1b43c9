# Toolchain file: gpulto-toolchain.cmake with gpulto-nvcc, whatever the default.
set(GPULTO_CUDA_DIALECT nvcc)
include("${CMAKE_CURRENT_LIST_DIR}/gpulto-toolchain.cmake")
