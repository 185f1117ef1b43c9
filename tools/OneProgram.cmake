# One program for all tools, libexec/gpulto/gpulto-toolchain, and small programs
# that start it under the names of the tools, in bin/ and libexec/gpulto/. LGEN is
# part of it.
include(driver/Clang.cmake)
file(GLOB sources CONFIGURE_DEPENDS
     "${CMAKE_CURRENT_SOURCE_DIR}/commands/*.cpp"
     "${CMAKE_CURRENT_SOURCE_DIR}/driver/*.cpp")
add_library(gpultoTools OBJECT ${sources} LgenPlugin.cpp)
gpulto_target_settings(gpultoTools)
target_compile_definitions(gpultoTools PRIVATE
  "GPULTO_CLANG_DIRECTORY=\"${GPULTO_CLANG_DIRECTORY}\""
  "GPULTO_CONFIGURED_CUDA=\"${GPULTO_CONFIGURED_CUDA}\"")
# For --version: caches of objects see LGEN change.
list(TRANSFORM all_libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>"
     OUTPUT_VARIABLE digested)
list(APPEND digested "${CMAKE_CURRENT_SOURCE_DIR}/LgenPlugin.cpp")
set(digest "${CMAKE_CURRENT_BINARY_DIR}/driver/LgenDigest.h")
add_custom_command(OUTPUT "${digest}" DEPENDS ${all_libraries} LgenPlugin.cpp
  COMMAND ${CMAKE_COMMAND} "-DFILES=${digested}" "-DOUTPUT=${digest}"
          -P "${PROJECT_SOURCE_DIR}/cmake/WriteDigest.cmake" VERBATIM)
target_sources(gpultoTools PRIVATE "${digest}")

add_executable(gpulto-toolchain toolchain.cpp $<TARGET_OBJECTS:gpultoTools>
  $<TARGET_OBJECTS:gpultoLld> $<TARGET_OBJECTS:gpultoWithout>
  $<TARGET_OBJECTS:gpultoOlderGlibc>)
gpulto_target_settings(gpulto-toolchain)
set_target_properties(gpulto-toolchain PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/libexec/gpulto")
gpulto_link(gpulto-toolchain DIRECTORY tools
            DEPENDS gpultoLinkerPlugin ${all_libraries})
# Where it lies is known when it is linked: nothing is relocated at its start.
target_link_options(gpulto-toolchain PRIVATE -no-pie ${GPULTO_CLANG_LINK_OPTIONS}
                    ${GPULTO_LLD_LINK_OPTIONS})

# gpulto_launcher(<name> <directory> <the program's path from there>)
function(gpulto_launcher name directory program)
  set(target launch-${name})
  if(NOT directory STREQUAL "bin")
    set(target launch-${directory}-${name})
  endif()
  string(REPLACE "/" "-" target "${target}")
  add_executable(${target} launcher.c)
  target_compile_options(${target} PRIVATE -Os -Wall -Wextra)
  target_compile_definitions(${target} PRIVATE
    "GPULTO_PROGRAM=\"${program}\"")
  if(ARGN)
    target_compile_definitions(${target} PRIVATE ${ARGN})
  endif()
  # It starts without the code whose symbols glibc has renewed.
  target_link_options(${target} PRIVATE -nostartfiles LINKER:--strip-all
                      LINKER:-z,now LINKER:--build-id=none)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${directory}")
  add_dependencies(gpulto-toolchain ${target})
endfunction()
foreach(name gpulto-clang gpulto-clang++ gpulto-nvcc)
  gpulto_launcher(${name} bin ../libexec/gpulto/gpulto-toolchain)
endforeach()
foreach(name clang clang++)
  gpulto_launcher(${name} libexec/gpulto gpulto-toolchain)
endforeach()
# These go by their own names, whatever they are called by. gpulto-run is a
# program of its own; the launcher is there to say that glibc is too old.
gpulto_launcher(gpulto bin ../libexec/gpulto/gpulto-toolchain GPULTO_OWN_NAME)
gpulto_launcher(gpulto-run bin ../libexec/gpulto/gpulto-run GPULTO_OWN_NAME)
gpulto_launcher(ld.lld libexec/gpulto gpulto-toolchain GPULTO_OWN_NAME)

# A wheel has that tree in libexec/gpulto/ of an environment of Python's. For
# the environment's bin/:
set(tree ../libexec/gpulto)
foreach(name gpulto-clang gpulto-clang++ gpulto-nvcc)
  gpulto_launcher(${name} wheel ${tree}/libexec/gpulto/gpulto-toolchain)
endforeach()
foreach(name gpulto gpulto-run)
  gpulto_launcher(${name} wheel ${tree}/bin/${name} GPULTO_OWN_NAME)
endforeach()
