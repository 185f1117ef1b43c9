# Toolchain file for projects that write nvcc's options for CUDA sources: as
# gpulto-toolchain.cmake, but gpulto-nvcc takes them, and always optimizes.
include("${CMAKE_CURRENT_LIST_DIR}/gpulto-toolchain.cmake")
get_filename_component(_gpulto_bin "${CMAKE_CUDA_COMPILER}" DIRECTORY)
set(CMAKE_CUDA_COMPILER "${_gpulto_bin}/gpulto-nvcc")
unset(_gpulto_bin)
