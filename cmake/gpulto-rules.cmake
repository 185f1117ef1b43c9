# How CMake uses gpulto's compilers, where that differs from clang's.
foreach(lang C CXX CUDA)
  set(_CMAKE_${lang}_IPO_SUPPORTED_BY_CMAKE YES)
  set(_CMAKE_${lang}_IPO_MAY_BE_SUPPORTED_BY_COMPILER YES)
  set(CMAKE_${lang}_COMPILE_OPTIONS_IPO -flto=gpu)
  set(CMAKE_${lang}_LINK_OPTIONS_IPO -flto=gpu)
  # Objects are fat: they go into archives like any other.
  foreach(rule CREATE APPEND FINISH)
    unset(CMAKE_${lang}_ARCHIVE_${rule}_IPO)
  endforeach()
endforeach()

# Device code is linked with the host's, by the compiler: CMake would do it with
# nvlink before, and never see bitcode. Without -flto=gpu clang does it, whose
# linker for device code is asked for wherever it may be needed: in projects that
# have CUDA, whatever the language that CMake links a target as.
if(CMAKE_CUDA_COMPILER_ID)
  set(CMAKE_CUDA_COMPILER_HAS_DEVICE_LINK_PHASE FALSE)
  set(_CMAKE_CUDA_RDC_FLAG "-fgpu-rdc --offload-new-driver")
  # CMake applies the property to CUDA sources of separable compilation only;
  # where it is asked for of everything, the others are to have it, too.
  set(_gpulto_link "--offload-link")
  if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    set(_CMAKE_CUDA_WHOLE_FLAG "-flto=gpu -c")
    string(APPEND _gpulto_link " -flto=gpu")
  endif()
  foreach(lang C CXX CUDA)
    foreach(rule LINK_EXECUTABLE CREATE_SHARED_LIBRARY CREATE_SHARED_MODULE)
      set(_gpulto_rule CMAKE_${lang}_${rule})
      if(${_gpulto_rule} AND NOT ${_gpulto_rule} MATCHES "--offload-link")
        string(REPLACE "<CMAKE_${lang}_COMPILER>"
               "<CMAKE_${lang}_COMPILER> ${_gpulto_link}"
               ${_gpulto_rule} "${${_gpulto_rule}}")
      endif()
    endforeach()
  endforeach()
  unset(_gpulto_rule)
  unset(_gpulto_link)
endif()
