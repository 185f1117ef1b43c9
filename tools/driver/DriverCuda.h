//===- DriverCuda.h - CUDA toolkits newer than clang ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERCUDA_H
#define GPULTO_TOOLS_DRIVER_DRIVERCUDA_H

#include "support/Subprocess.h"
#include "tools/driver/DriverCommandLine.h"
#include "tools/driver/DriverProcess.h"

#include <string>
#include <vector>

namespace gpulto::driver {

/// The paths of an installation that the driver needs, derived from the path of
/// the running program, so that build tree and installation work alike.
struct Installation {
  std::string bin;          ///< the directory of this program
  std::string linker;       ///< our ld.lld
  std::string linkerPlugin; ///< what bfd and gold load
  std::string linkerScript; ///< additional script for bfd
  std::string traceLibrary; ///< what -fgpulto-trace-host links
  std::string lgenPlugin;   ///< the pass plugin clang loads; empty: LGEN is
                            ///< part of this program
  std::string cudaShim;     ///< headers that sources get before clang's
  std::string clang;        ///< clang or clang++: a link to this program
  std::string stockClang;   ///< the clang that is installed, or its clang++;
                            ///< empty: this program is all there is of clang
  std::string resources;    ///< clang's headers and libraries; empty: those of
                            ///< stockClang

  /// \p argv0: this program's name, \p cxx: wants clang++.
  /// Errors: no clang of the version we were built with.
  static llvm::Expected<Installation> find(const char *argv0, bool cxx);
};

/// A CUDA toolkit; root is empty if there is none.
struct CudaToolkit {
  std::string root;

  explicit operator bool() const { return !root.empty(); }
  std::string ptxas() const { return root + "/bin/ptxas"; }
  std::string include() const { return root + "/include"; }
  std::string cccl() const { return root + "/include/cccl"; }
  /// The directory of what programs link: lib64, or lib in NVIDIA's wheels.
  std::string libraries() const;
};

/// Returns the toolkit: --gpulto-cuda-path=, --cuda-path=, or the default one
/// (defaultCudaToolkit).
CudaToolkit findCudaToolkit(const CommandLine &line);

/// How links find the libraries of a toolkit that NVIDIA's wheels make. They
/// lie in lib, and libcudart.so.13 has no second name that -lcudart would find.
class WheelLibraries {
public:
  /// Looks for the toolkit if \p line links and names such a library.
  explicit WheelLibraries(const CommandLine &line);

  /// Adds \p argument of the line to \p command. Directories that the user
  /// named before are searched first.
  void add(Command &command, const DriverArg &argument) const;

private:
  const CommandLine &line;
  std::string directory; ///< empty: nothing needs to be done
  std::string runtime;   ///< libcudart.so.13
};

/// Returns what \p toolkit's ptxas prints for \p option; empty if there is no
/// ptxas.
std::string askPtxas(const CudaToolkit &toolkit, llvm::StringRef option);

/// Returns __CUDA_ARCH_LIST__ of \p architectures (sm_80, sm_90a): "800,900".
std::string archList(llvm::ArrayRef<std::string> architectures);

/// Returns the words to put before a CUDA compile for \p architectures (empty:
/// unknown) so that clang works with \p toolkit and sources find what nvcc
/// provides.
std::vector<std::string> cudaRepairs(const CommandLine &line,
                                     const CudaToolkit &toolkit,
                                     const Installation &installation,
                                     llvm::ArrayRef<std::string> architectures);

/// Prints a warning of the driver.
void warn(const llvm::Twine &message);

} // namespace gpulto::driver

#endif
