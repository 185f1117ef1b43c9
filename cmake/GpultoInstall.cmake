# What `cmake --install` puts where. gpulto-clang++ finds the rest relative to
# itself, so that an installed tree can be moved:
#
#   bin/                 gpulto gpulto-clang++ gpulto-clang gpulto-nvcc gpulto-run
#   libexec/gpulto/      ld.lld, gpulto-slurm, gpulto-parallel; clang and
#                        clang++, links to gpulto-clang++
#   lib/gpulto/          gpulto-lgen.so, gpulto-plugin.so, the script for bfd,
#                        the emulator's libcudart and libcuda (in
#                        lib/gpulto-emulator); revision, for --version
#   lib/cmake/gpulto/    the CMake package and toolchain files
#   share/gpulto/        gpulto-gdb.py, for gdb; bazel/, a toolchain for
#                        Bazel; editors/, for clangd and VS Code
#   lib/pkgconfig/       gpulto.pc
#   share/doc/gpulto/    README.md, docs/
#   share/man, share/bash-completion, share/zsh: manual pages, completion
#
# With GPULTO_ONE_PROGRAM (packages) all that is in bin/, and clang, clang++ and
# ld.lld, are launchers of libexec/gpulto/gpulto-toolchain and, in the same
# directory, gpulto-run. LGEN is in the first, and lib/clang/22 and licenses/ are
# there, too.
#
# Run-time search paths: LLVM's directory, which the link line had, and in
# shared builds our own libraries in lib/gpulto.
include(CMakePackageConfigHelpers)
set(package_directory lib/cmake/gpulto)

set(exported)
foreach(target gpulto gpulto-clang++)
  if(TARGET ${target})
    list(APPEND exported ${target})
  endif()
endforeach()
if(exported)
  if(TARGET gpulto-clang++)
    set_target_properties(gpulto-clang++ PROPERTIES EXPORT_NAME clang++)
  endif()
  install(TARGETS ${exported} EXPORT gpultoTargets
          RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(EXPORT gpultoTargets NAMESPACE gpulto::
          DESTINATION "${package_directory}")
endif()
# What clang misses of nvcc's.
install(DIRECTORY "${PROJECT_BINARY_DIR}/lib/gpulto/cuda-shim"
        DESTINATION lib/gpulto)
if(GPULTO_ONE_PROGRAM)
  include(OneProgramInstall)
endif()
if(TARGET gpulto-clang++)
  foreach(name gpulto-clang gpulto-nvcc)
    install(CODE "
      execute_process(COMMAND \"${CMAKE_COMMAND}\" -E create_symlink
        gpulto-clang++
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${name}\"
        COMMAND_ERROR_IS_FATAL ANY)")
  endforeach()
  # The same program as clang.
  foreach(name clang clang++)
    install(CODE "
      set(directory
          \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/libexec/gpulto\")
      file(MAKE_DIRECTORY \"\${directory}\")
      execute_process(COMMAND \"${CMAKE_COMMAND}\" -E create_symlink
        ../../${CMAKE_INSTALL_BINDIR}/gpulto-clang++ \"\${directory}/${name}\"
        COMMAND_ERROR_IS_FATAL ANY)")
  endforeach()
endif()
if(TARGET gpulto-ld.lld)
  install(TARGETS gpulto-ld.lld RUNTIME DESTINATION libexec/gpulto)
endif()
install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/distributors/gpulto-slurm"
                 "${PROJECT_SOURCE_DIR}/tools/distributors/gpulto-parallel"
        DESTINATION libexec/gpulto)
install(FILES "${PROJECT_SOURCE_DIR}/tools/distributors/gpulto_jobs.py"
        DESTINATION libexec/gpulto)
if(TARGET gpulto-lgen)
  install(TARGETS gpulto-lgen LIBRARY DESTINATION lib/gpulto)
endif()
if(TARGET gpulto-plugin)
  install(TARGETS gpulto-plugin LIBRARY DESTINATION lib/gpulto)
  install(FILES "${PROJECT_BINARY_DIR}/lib/gpulto/far-device-code.ld"
          DESTINATION lib/gpulto)
endif()
if(TARGET gpulto-revision)
  install(FILES "${GPULTO_REVISION}" DESTINATION lib/gpulto)
endif()
if(BUILD_SHARED_LIBS)
  foreach(name Support FatObj Summary Ipa Icf Partitioner Lto LinkerPlugin)
    if(TARGET gpulto${name})
      install(TARGETS gpulto${name} LIBRARY DESTINATION lib/gpulto)
    endif()
  endforeach()
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/gpultoConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/cmake/gpultoConfig.cmake"
  INSTALL_DESTINATION "${package_directory}"
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/cmake/gpultoConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/gpultoConfig.cmake"
        "${PROJECT_BINARY_DIR}/cmake/gpultoConfigVersion.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/gpulto-toolchain.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/gpulto-nvcc-toolchain.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/gpulto-rules.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/gpulto-project.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/gpulto-native.cmake"
        DESTINATION "${package_directory}")
install(FILES "${PROJECT_SOURCE_DIR}/tools/gpulto-gdb.py"
        DESTINATION share/gpulto)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/tools/bazel"
                  "${PROJECT_SOURCE_DIR}/tools/editors" DESTINATION share/gpulto
        PATTERN README.md EXCLUDE)
configure_file("${PROJECT_SOURCE_DIR}/cmake/gpulto.pc.in"
               "${PROJECT_BINARY_DIR}/cmake/gpulto.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cmake/gpulto.pc"
        DESTINATION lib/pkgconfig)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md"
        DESTINATION share/doc/gpulto)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/man/"
        DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
# bash loads the file of the name of the program.
foreach(name gpulto gpulto-clang gpulto-clang++ gpulto-nvcc gpulto-run)
  install(FILES "${PROJECT_SOURCE_DIR}/tools/completion/gpulto.bash"
          DESTINATION share/bash-completion/completions RENAME ${name})
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/tools/completion/_gpulto"
        DESTINATION share/zsh/site-functions)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION share/doc/gpulto
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg"
        PATTERN "changes" EXCLUDE PATTERN "man" EXCLUDE)
