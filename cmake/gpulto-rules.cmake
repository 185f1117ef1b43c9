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
  # CMake asks a program with the static runtime, for which nothing stands in, and
  # needs an answer although it hands the word over.
  if(CMAKE_CUDA_ARCHITECTURES STREQUAL "native" AND
     NOT CMAKE_CUDA_ARCHITECTURES_NATIVE)
    include("${CMAKE_CURRENT_LIST_DIR}/gpulto-native.cmake")
  endif()
  set(CMAKE_CUDA_COMPILER_HAS_DEVICE_LINK_PHASE FALSE)
  set(_CMAKE_CUDA_RDC_FLAG "-fgpu-rdc --offload-new-driver")
  # CMake applies the property to CUDA sources of separable compilation only;
  # where it is asked for of everything, the others are to have it, too.
  set(_gpulto_link "--offload-link")
  if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    set(_CMAKE_CUDA_WHOLE_FLAG "-flto=gpu -c")
    string(APPEND _gpulto_link " -flto=gpu")
  endif()
  set(_gpulto_link_cuda "${_gpulto_link}")
  if(CMAKE_CUDA_COMPILER MATCHES "/(gpulto-)?nvcc$")
    # CMake takes it for clang, and names the libraries; it takes nvcc's options,
    # and what it makes is to be linked with -flto=gpu.
    set(_CMAKE_COMPILE_AS_CUDA_FLAG "-x cu")
    set(_CMAKE_CUDA_RDC_FLAG "-rdc=true")
    set(_CMAKE_CUDA_WHOLE_FLAG "-c")
    set(_CMAKE_CUDA_PTX_FLAG "-ptx")
    set(_CMAKE_CUDA_EXTRA_FLAGS "-forward-unknown-to-host-compiler")
    if(CMAKE_CUDA_HOST_COMPILER) # CUDAHOSTCXX, too
      string(APPEND _CMAKE_CUDA_EXTRA_FLAGS " -ccbin=<CMAKE_CUDA_HOST_COMPILER>")
    endif()
    set(_gpulto_link "--offload-link -flto=gpu")
    set(_gpulto_link_cuda "${_CMAKE_CUDA_EXTRA_FLAGS} -cudart none")
  endif()
  foreach(rule LINK_EXECUTABLE CREATE_SHARED_LIBRARY CREATE_SHARED_MODULE)
    # CMake leaves CUDA's options out of links by clang, but their level counts
    # there, and what they say to ptxas.
    set(_gpulto_flags "<LANGUAGE_COMPILE_FLAGS>")
    if(rule STREQUAL "LINK_EXECUTABLE")
      set(_gpulto_flags "<FLAGS>")
    endif()
    set(_gpulto_C "${_gpulto_link}")
    set(_gpulto_CXX "${_gpulto_link}")
    set(_gpulto_CUDA "${_gpulto_link_cuda} ${_gpulto_flags}")
    foreach(lang C CXX CUDA)
      set(_gpulto_rule CMAKE_${lang}_${rule})
      set(_gpulto_start "<CMAKE_${lang}_COMPILER> ${_gpulto_${lang}}")
      if(${_gpulto_rule} AND NOT ${_gpulto_rule} MATCHES "^${_gpulto_start}")
        string(REPLACE "<CMAKE_${lang}_COMPILER>" "${_gpulto_start}"
               ${_gpulto_rule} "${${_gpulto_rule}}")
      endif()
    endforeach()
  endforeach()
  foreach(name C CXX CUDA flags start rule link link_cuda)
    unset(_gpulto_${name})
  endforeach()
endif()
