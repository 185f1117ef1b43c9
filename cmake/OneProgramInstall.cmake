# What `cmake --install` adds for GPULTO_ONE_PROGRAM.
#
# clang's own headers and the libraries that compiled programs need: builtins,
# profiles. Not in packages: sanitizers, OpenMP, XRay, ORC.
set(resources "lib/clang/${LLVM_VERSION_MAJOR}")
install(TARGETS gpulto-toolchain RUNTIME DESTINATION libexec/gpulto)
install(TARGETS launch-gpulto EXPORT gpultoTargets
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS launch-gpulto-clang++ EXPORT gpultoTargets
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS launch-gpulto-clang launch-gpulto-nvcc launch-gpulto-run
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
set_target_properties(launch-gpulto PROPERTIES EXPORT_NAME gpulto)
set_target_properties(launch-gpulto-clang++ PROPERTIES EXPORT_NAME clang++)
install(EXPORT gpultoTargets NAMESPACE gpulto::
        DESTINATION "${package_directory}")
install(TARGETS launch-libexec-gpulto-clang launch-libexec-gpulto-clang++
                launch-libexec-gpulto-ld.lld
        RUNTIME DESTINATION libexec/gpulto)
install(DIRECTORY "${GPULTO_LLVM_ROOT}/${resources}/include"
        DESTINATION "${resources}"
        PATTERN "omp*.h" EXCLUDE
        PATTERN "ISO_Fortran_binding.h" EXCLUDE)
foreach(name libclang_rt.builtins-x86_64.a libclang_rt.profile-x86_64.a
             clang_rt.crtbegin-x86_64.o clang_rt.crtend-x86_64.o)
  install(FILES "${GPULTO_LLVM_ROOT}/${resources}/lib/linux/${name}"
          DESTINATION "${resources}/lib/linux")
endforeach()

# The licenses of all that is inside, as Debian's packages of it state them.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION licenses)
# With a file beside its directories pip removes the whole tree, not only files.
install(FILES "${PROJECT_SOURCE_DIR}/README.md" DESTINATION .)
foreach(package llvm-22-dev libclang-22-dev liblld-22-dev libzstd-dev zlib1g-dev
                liblz4-dev libstdc++-12-dev)
  install(FILES "/usr/share/doc/${package}/copyright" DESTINATION licenses
          RENAME "${package}.txt")
endforeach()
