//===- DriverAttributes.h - Attributes written in the source ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERATTRIBUTES_H
#define GPULTO_TOOLS_DRIVER_DRIVERATTRIBUTES_H

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

namespace gpulto::driver {

/// Whether \p variable has an \p Attribute written in the source: clang adds
/// one of its own to constants that device code may use.
template <typename Attribute> bool isWritten(const clang::VarDecl &variable) {
  const auto *attribute = variable.getAttr<Attribute>();
  return attribute && !attribute->isImplicit();
}

} // namespace gpulto::driver

#endif
