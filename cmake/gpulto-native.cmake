# Sets CMAKE_CUDA_ARCHITECTURES_NATIVE to what the compiler takes native for, which
# has the driver's device or the emulator's; empty when there is none.
get_filename_component(_gpulto_clang "${CMAKE_CUDA_COMPILER}" REALPATH)
execute_process(COMMAND "${_gpulto_clang}" --gpulto-print-native
                OUTPUT_VARIABLE CMAKE_CUDA_ARCHITECTURES_NATIVE
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
unset(_gpulto_clang)
