//===- DriverDeviceVisibility.cpp - Visibility of kernels and variables ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// nvcc 13 hides kernels and device variables in host code: another program or
// shared library must not launch or copy to what one registers, through a
// symbol that the dynamic linker chose. With --gpulto-hidden-entities clang
// does so, too:
//
//   __global__ void k();                                         hidden
//   __attribute__((visibility("default"))) __global__ void m();  as it says
//   namespace n __attribute__((visibility("default"))) {...}     as it says
//
// An attribute of the entity or an enclosing namespace, or a pragma, takes
// precedence; -fvisibility= does not. Declarations are hidden like definitions,
// so a link against another library fails, as nvcc's does.
//
// One function of clang determines the visibility of a declaration. The program
// is linked with --wrap= for it (Clang.cmake). A macro, which any clang
// accepts, says that the option was given.
//
//===----------------------------------------------------------------------===//

#include "tools/driver/DriverAttributes.h"

#include "clang/AST/ASTContext.h"

using namespace clang;
using gpulto::driver::isWritten;

// The function of clang, and ours in its place. A member function is called as
// a function whose first parameter is the object.
LinkageInfo realGetLinkage(const NamedDecl *) __asm__(
    "__real__ZNK5clang9NamedDecl23getLinkageAndVisibilityEv");
LinkageInfo wrapGetLinkage(const NamedDecl *) __asm__(
    "__wrap__ZNK5clang9NamedDecl23getLinkageAndVisibilityEv");

/// Whether \p declaration is of a kernel or a device variable.
static bool isDeviceEntity(const NamedDecl &declaration) {
  if (const auto *function = dyn_cast<FunctionDecl>(&declaration))
    return function->hasAttr<CUDAGlobalAttr>();
  const auto *variable = dyn_cast<VarDecl>(&declaration);
  return variable && (isWritten<CUDADeviceAttr>(*variable) ||
                      isWritten<CUDAConstantAttr>(*variable) ||
                      isWritten<HIPManagedAttr>(*variable));
}

/// Whether the compile is one with --gpulto-hidden-entities.
static bool hidesEntities(const ASTContext &context) {
  auto macro = context.Idents.find("__GPULTO_HIDDEN_ENTITIES__");
  return macro != context.Idents.end() &&
         macro->getValue()->hasMacroDefinition();
}

LinkageInfo wrapGetLinkage(const NamedDecl *declaration) {
  LinkageInfo info = realGetLinkage(declaration);
  if (!isExternallyVisible(info.getLinkage()) || info.isVisibilityExplicit() ||
      !isDeviceEntity(*declaration) ||
      !hidesEntities(declaration->getASTContext()))
    return info;
  return {info.getLinkage(), HiddenVisibility, /*explicit=*/true};
}
