# Toolchain file: gpulto's compilers for C, C++ and CUDA, from beside this file.
# INTERPROCEDURAL_OPTIMIZATION of a target means -flto=gpu.
get_filename_component(_gpulto_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.."
                       ABSOLUTE)
set(CMAKE_C_COMPILER "${_gpulto_prefix}/bin/gpulto-clang")
set(CMAKE_CXX_COMPILER "${_gpulto_prefix}/bin/gpulto-clang++")
set(CMAKE_CUDA_COMPILER "${_gpulto_prefix}/bin/gpulto-clang++")
unset(_gpulto_prefix)
# CMake writes --cuda-gpu-arch= for clang whatever CUDA_ARCHITECTURES says, and
# drops -virtual with a warning; the compiler is given the list itself.
add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:$<TARGET_PROPERTY:CUDA_ARCHITECTURES>>>:--gpulto-cmake-architectures=$<JOIN:$<TARGET_PROPERTY:CUDA_ARCHITECTURES>,$<COMMA>>>")
# Read after CMake's own rules for clang.
set(CMAKE_USER_MAKE_RULES_OVERRIDE
    "${CMAKE_CURRENT_LIST_DIR}/gpulto-rules.cmake")
