# Toolchain file: gpulto's compilers for C, C++ and CUDA, from beside this file.
# INTERPROCEDURAL_OPTIMIZATION of a target means -flto=gpu.
#
#   GPULTO_CUDA_DIALECT   whose options CUDA sources are compiled with:
#     nvcc   the default: gpulto-nvcc, which always optimizes. It takes nvcc's
#            options, and hands what it does not know to clang.
#     clang  gpulto-clang++, which takes clang's alone.
get_filename_component(_gpulto_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.."
                       ABSOLUTE)
set(CMAKE_C_COMPILER "${_gpulto_prefix}/bin/gpulto-clang")
set(CMAKE_CXX_COMPILER "${_gpulto_prefix}/bin/gpulto-clang++")
if(NOT GPULTO_CUDA_DIALECT OR GPULTO_CUDA_DIALECT STREQUAL "nvcc")
  set(CMAKE_CUDA_COMPILER "${_gpulto_prefix}/bin/gpulto-nvcc")
elseif(GPULTO_CUDA_DIALECT STREQUAL "clang")
  set(CMAKE_CUDA_COMPILER "${_gpulto_prefix}/bin/gpulto-clang++")
else()
  message(FATAL_ERROR "GPULTO_CUDA_DIALECT is '${GPULTO_CUDA_DIALECT}', "
                      "expected nvcc or clang")
endif()
unset(_gpulto_prefix)
# CMake reads this file for its own checks as well, which are to be answered by
# the same compiler.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GPULTO_CUDA_DIALECT)
# Without the policy INTERPROCEDURAL_OPTIMIZATION means nothing for compilers but
# Intel's, and check_ipo_supported() is an error. Projects whose
# cmake_minimum_required is older than CMake 3.9 do not ask for it: subprojects
# get it as they say their version, and the one that has said so before it reads
# this file by what project() includes.
if(NOT DEFINED CMAKE_POLICY_DEFAULT_CMP0069)
  set(CMAKE_POLICY_DEFAULT_CMP0069 NEW)
endif()
if(NOT CMAKE_PROJECT_INCLUDE AND CMAKE_POLICY_DEFAULT_CMP0069 STREQUAL "NEW")
  set(CMAKE_PROJECT_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/gpulto-project.cmake")
endif()
# CMake writes --cuda-gpu-arch= for clang whatever CUDA_ARCHITECTURES says, and
# drops -virtual with a warning; the compiler is given the list itself.
add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:$<TARGET_PROPERTY:CUDA_ARCHITECTURES>>>:--gpulto-cmake-architectures=$<JOIN:$<TARGET_PROPERTY:CUDA_ARCHITECTURES>,$<COMMA>>>")
# Read after CMake's own rules for clang.
set(CMAKE_USER_MAKE_RULES_OVERRIDE
    "${CMAKE_CURRENT_LIST_DIR}/gpulto-rules.cmake")
