# Toolchain file: gpulto's compilers for C, C++ and CUDA, from beside this file.
# INTERPROCEDURAL_OPTIMIZATION of a target means -flto=gpu.
get_filename_component(_gpulto_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.."
                       ABSOLUTE)
set(CMAKE_C_COMPILER "${_gpulto_prefix}/bin/gpulto-clang")
set(CMAKE_CXX_COMPILER "${_gpulto_prefix}/bin/gpulto-clang++")
set(CMAKE_CUDA_COMPILER "${_gpulto_prefix}/bin/gpulto-clang++")
unset(_gpulto_prefix)
# Read after CMake's own rules for clang.
set(CMAKE_USER_MAKE_RULES_OVERRIDE
    "${CMAKE_CURRENT_LIST_DIR}/gpulto-rules.cmake")
