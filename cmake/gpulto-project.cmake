# Included by project(), by way of gpulto-toolchain.cmake; not into a scope of its
# own. A project that has decided about the policy keeps what it said.
cmake_policy(GET CMP0069 _gpulto_policy)
if(NOT _gpulto_policy)
  cmake_policy(SET CMP0069 NEW)
endif()
unset(_gpulto_policy)
