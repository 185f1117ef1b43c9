//===- GeometryReads.cpp - Reads of the launch geometry -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/runtime/GeometryReads.h"

#include "summary/Launches.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gpulto {

std::optional<GeometryRead> geometryRead(unsigned id) {
  switch (id) {
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return GeometryRead{kGridX, false};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return GeometryRead{kGridY, false};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return GeometryRead{kGridZ, false};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return GeometryRead{kBlockX, false};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return GeometryRead{kBlockY, false};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return GeometryRead{kBlockZ, false};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return GeometryRead{kGridX, true};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return GeometryRead{kGridY, true};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return GeometryRead{kGridZ, true};
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return GeometryRead{kBlockX, true};
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return GeometryRead{kBlockY, true};
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return GeometryRead{kBlockZ, true};
  default:
    return std::nullopt;
  }
}

} // namespace gpulto
