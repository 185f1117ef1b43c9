//===- CudaToolkitTest.cpp - Where the CUDA toolkit is --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/CudaToolkit.h"

#include "support/Subprocess.h"
#include "test/unit/ErrorChecks.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace gpulto;

namespace {

/// An environment of Python's, into which wheels are installed.
class WheelToolkit : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_VALUE(created, TempDir::create("gpulto-test"));
    root = std::move(created);
  }
  /// Makes an empty file and the directories that lead to it.
  void make(const llvm::Twine &name) {
    std::string path = root.file(name.str());
    ASSERT_FALSE(
        llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)));
    ASSERT_OK(writeFileAtomically(path, ""));
  }
  /// "Installs" wheels of ours and of NVIDIA's to the directory of packages.
  void installBoth(const llvm::Twine &packages) {
    make(packages + "/gpulto-0.1.0.dist-info/METADATA");
    make(packages + "/nvidia/cu13/include/cuda_runtime.h");
  }
  std::string found() const {
    return toolkitOfWheels(
        root.file("libexec/gpulto/libexec/gpulto/gpulto-toolchain"));
  }
  TempDir root;
};

TEST_F(WheelToolkit, IsBesideOurWheel) {
  installBoth("lib/python3.11/site-packages");
  EXPECT_EQ(found(), root.file("lib/python3.11/site-packages/nvidia/cu13"));
}

TEST_F(WheelToolkit, IsInDebiansDirectory) {
  installBoth("lib/python3/dist-packages");
  EXPECT_EQ(found(), root.file("lib/python3/dist-packages/nvidia/cu13"));
}

TEST_F(WheelToolkit, IsInLib64) {
  installBoth("lib64/python3.12/site-packages");
  EXPECT_EQ(found(), root.file("lib64/python3.12/site-packages/nvidia/cu13"));
}

TEST_F(WheelToolkit, IsInTheTarget) {
  installBoth("."); // pip install --target=
  EXPECT_EQ(found(), root.path() + "/nvidia/cu13");
}

TEST_F(WheelToolkit, OfAnotherPythonIsNotTaken) {
  make("lib/python3.11/site-packages/nvidia/cu13/include/cuda_runtime.h");
  installBoth("lib/python3.12/site-packages");
  EXPECT_EQ(found(), root.file("lib/python3.12/site-packages/nvidia/cu13"));
}

TEST_F(WheelToolkit, HasHeaders) {
  make("lib/python3.11/site-packages/gpulto-0.1.0.dist-info/METADATA");
  make("lib/python3.11/site-packages/nvidia/cu13/lib/libcudart.so.13");
  EXPECT_EQ(found(), "");
}

TEST_F(WheelToolkit, IsForProgramsOfWheelsAlone) {
  installBoth("lib/python3.11/site-packages");
  EXPECT_EQ(toolkitOfWheels(root.file("libexec/gpulto/gpulto-toolchain")), "");
  EXPECT_EQ(toolkitOfWheels(root.file("bin/gpulto-clang++")), "");
}

} // namespace
