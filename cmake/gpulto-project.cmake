# Included by project(), by way of gpulto-toolchain.cmake; not into a scope of its
# own. A project that has decided about the policy keeps what it said.
cmake_policy(GET CMP0069 _gpulto_policy)
if(NOT _gpulto_policy)
  cmake_policy(SET CMP0069 NEW)
endif()
unset(_gpulto_policy)
# Where no device answers the program that CMake 4 asks, its message becomes the
# list of architectures of this machine.
if(CMAKE_CUDA_COMPILER_ID AND CMAKE_CUDA_ARCHITECTURES_NATIVE AND
   NOT CMAKE_CUDA_ARCHITECTURES_NATIVE MATCHES "^[0-9]")
  include("${CMAKE_CURRENT_LIST_DIR}/gpulto-native.cmake")
endif()
