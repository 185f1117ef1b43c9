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
  std::string lgenPlugin;   ///< the pass plugin clang loads
  std::string cudaShim;     ///< headers that sources get before clang's
  std::string clang;        ///< clang or clang++: a link to this program
  std::string stockClang;   ///< the clang that is installed, or its clang++

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
};

/// Returns the toolkit: --gpulto-cuda-path=, --cuda-path=,
/// CUDA_PATH, that of nvcc on PATH, /usr/local/cuda, and the one known when
/// gpulto was built.
CudaToolkit findCudaToolkit(const CommandLine &line);

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
