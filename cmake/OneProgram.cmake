# LLVM, clang and lld as archives, for GPULTO_ONE_PROGRAM. Defines
#
#   gpultoLlvm     all of their archives, in place of libLLVM
#   gpultoWithout  objects that stand for what is left out of LLVM: targets but
#                  X86 and NVPTX, Polly, Z3; programs with LLVM need them
#   gpultoOlderGlibc  objects for what glibc 2.34 does not have
#
# Of an archive only what is referred to gets into a program, so all may be named.
file(GLOB archives "${GPULTO_LLVM_ROOT}/lib/libLLVM*.a"
     "${GPULTO_LLVM_ROOT}/lib/libclang[A-Z]*.a")
list(FILTER archives EXCLUDE REGEX "/lib(LLVMBOLT|LLVMExegesis|clangTidy)")
list(APPEND archives "${GPULTO_LLD_ELF}" "${GPULTO_LLD_COMMON}")
list(JOIN archives "," archives)
add_library(gpultoLlvm INTERFACE)
target_link_libraries(gpultoLlvm INTERFACE
  "$<LINK_GROUP:RESCAN,${archives}>" ZLIB::ZLIB ${GPULTO_ZSTD}
  Threads::Threads ${CMAKE_DL_LIBS})
target_link_options(gpultoLlvm INTERFACE LINKER:--gc-sections
                    $<$<CONFIG:Release>:LINKER:--strip-all>)

set(left_out ${LLVM_TARGETS_TO_BUILD})
list(REMOVE_ITEM left_out X86 NVPTX)
list(TRANSFORM left_out REPLACE "(.+)" "LEFT_OUT(\\1)" OUTPUT_VARIABLE left_out)
list(JOIN left_out "\n" left_out)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/tools/LeftOutTargets.def"
     CONTENT "${left_out}\n")
add_library(gpultoWithout OBJECT "${PROJECT_SOURCE_DIR}/tools/Without.cpp")
gpulto_target_settings(gpultoWithout)
add_library(gpultoOlderGlibc OBJECT "${PROJECT_SOURCE_DIR}/tools/OlderGlibc.c")
