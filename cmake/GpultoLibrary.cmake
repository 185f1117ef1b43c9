# Declaring the project's libraries: one library per directory, links only to
# the directories that cmake/Layers.txt allows.
#
#   gpulto_library(<name> [DEPENDS <library>...] [LINKS <external>...]
#                  [SOURCES <file>...] [PRECOMPILED])
#
# <name>     gpulto<Directory>, e.g. gpultoSummary
# DEPENDS    libraries of this project; each must be in the row of the calling
#            directory in cmake/Layers.txt
# LINKS      libraries from outside (imported targets or file names)
# SOURCES    default: every .cpp of the directory and its rooms (re-globbed at
#            build time)
# PRECOMPILED  most sources read the headers of cmake/Precompiled.h
#
# A directory without sources declares nothing; a DEPENDS on it is dropped.

# Reads the row of a directory in Layers.txt into a list variable.
function(gpulto_layer_row directory result)
  file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/Layers.txt" rows
       REGEX "^${directory}:")
  if(NOT rows)
    message(FATAL_ERROR "${directory}/ has no row in cmake/Layers.txt")
  endif()
  list(GET rows 0 row)
  string(REGEX REPLACE "^[^:]*:[ \t]*" "" row "${row}")
  string(REGEX REPLACE "[ \t]+" ";" row "${row}")
  list(TRANSFORM row REPLACE "/.*" "") # a room is in its directory's library
  set(${result} "${row}" PARENT_SCOPE)
endfunction()

# The directory a library name stands for: gpultoLinkerPlugin -> linker-plugin.
function(gpulto_library_directory name result)
  string(REGEX REPLACE "^gpulto" "" directory "${name}")
  if(directory STREQUAL "FatObj")
    set(directory "fatobj")
  endif()
  string(REGEX REPLACE "([a-z])([A-Z])" "\\1-\\2" directory "${directory}")
  string(TOLOWER "${directory}" directory)
  set(${result} "${directory}" PARENT_SCOPE)
endfunction()

# Stops unless `directory` may link to the library `dependency`.
function(gpulto_check_layer directory dependency)
  gpulto_layer_row("${directory}" allowed)
  gpulto_library_directory("${dependency}" wanted)
  if(NOT wanted IN_LIST allowed AND NOT wanted STREQUAL directory)
    message(FATAL_ERROR
      "${directory}/ may not link to ${dependency} (${wanted}/): "
      "cmake/Layers.txt allows it only: ${allowed}")
  endif()
endfunction()

# Warnings, include root and dialect that every target of the project gets.
function(gpulto_target_settings target)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}"
                             "${PROJECT_BINARY_DIR}")
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE ${GPULTO_LLVM_DEFINITIONS})
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -Wall -Wextra>)
  # GCC 12 reports uses of LLVM's SmallVector and Expected as overflows or as
  # uninitialized where clang and newer GCCs see none, and moves of an
  # Error into an Expected as redundant, which clang does not.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:
      -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow
      -Wno-dangling-pointer -Wno-redundant-move>)
  endif()
  if(TARGET gpulto-options-inc)
    add_dependencies(${target} gpulto-options-inc)
  endif()
endfunction()

# Lets a target read cmake/Precompiled.h compiled; the first one compiles it.
function(gpulto_precompile target)
  get_property(first GLOBAL PROPERTY GPULTO_PRECOMPILED)
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/cmake/Precompiled.h>")
    set_property(GLOBAL PROPERTY GPULTO_PRECOMPILED ${target})
  endif()
  # For ccache, which looks at what it preprocesses.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endfunction()

function(gpulto_library name)
  cmake_parse_arguments(ARG "PRECOMPILED" "" "SOURCES;DEPENDS;LINKS" ${ARGN})
  get_filename_component(directory "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS
         "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp"
         "${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp")
  endif()
  if(NOT ARG_SOURCES)
    message(STATUS "${directory}/ has no sources yet: ${name} skipped")
    return()
  endif()
  add_library(${name} ${ARG_SOURCES})
  gpulto_target_settings(${name})
  if(ARG_PRECOMPILED)
    gpulto_precompile(${name})
  endif()
  foreach(dependency IN LISTS ARG_DEPENDS)
    gpulto_check_layer("${directory}" "${dependency}")
    if(TARGET ${dependency})
      target_link_libraries(${name} PRIVATE ${dependency})
    endif()
  endforeach()
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} ${GPULTO_LLVM_LIBRARY})
endfunction()

# gpulto_link(<target> DIRECTORY <dir> DEPENDS <library>...): links a program
# or test of `dir` to those of the libraries that exist, layers checked.
function(gpulto_link target)
  cmake_parse_arguments(ARG "" "DIRECTORY" "DEPENDS" ${ARGN})
  foreach(dependency IN LISTS ARG_DEPENDS)
    gpulto_check_layer("${ARG_DIRECTORY}" "${dependency}")
    if(TARGET ${dependency})
      target_link_libraries(${target} PRIVATE ${dependency})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE ${GPULTO_LLVM_LIBRARY})
endfunction()

# gpulto_module(<name> DIRECTORY <directory> SOURCES <file>...
#               DEPENDS <library>...)
# A module in lib/gpulto that clang or a linker loads. These have no sanitizer's
# runtime: with GPULTO_SANITIZE it is built without, from the sources of all
# libraries.
function(gpulto_module target)
  cmake_parse_arguments(ARG "" "DIRECTORY" "SOURCES;DEPENDS" ${ARGN})
  set(sources ${ARG_SOURCES})
  set(external)
  if(GPULTO_SANITIZE)
    set(libraries ${ARG_DEPENDS} gpultoLto gpultoPartitioner gpultoIcf gpultoIpa
        gpultoFatObj gpultoSummary gpultoSupport)
    list(REMOVE_DUPLICATES libraries)
    foreach(library IN LISTS libraries)
      if(TARGET ${library})
        get_target_property(directory ${library} SOURCE_DIR)
        get_target_property(files ${library} SOURCES)
        list(TRANSFORM files REPLACE "^([^/].*)$" "${directory}/\\1")
        list(APPEND sources ${files})
        get_target_property(links ${library} LINK_LIBRARIES)
        list(FILTER links EXCLUDE REGEX "^gpulto")
        list(APPEND external ${links})
      endif()
    endforeach()
  endif()
  add_library(${target} MODULE ${sources})
  gpulto_target_settings(${target})
  set_target_properties(${target} PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/gpulto")
  if(GPULTO_SANITIZE)
    # Files are generated for the libraries.
    add_dependencies(${target} ${libraries})
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
    target_link_options(${target} PRIVATE -fno-sanitize=all)
    list(REMOVE_DUPLICATES external)
    target_link_libraries(${target} PRIVATE ${external} Threads::Threads)
  else()
    gpulto_link(${target} DIRECTORY ${ARG_DIRECTORY} DEPENDS ${ARG_DEPENDS})
  endif()
endfunction()
