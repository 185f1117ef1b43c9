//===- DriverDeviceOrder.cpp - A stable order of device variables ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   static __device__ int a[4], b[4];
//   int main() { cudaMemcpyToSymbol(a, ...); cudaMemcpyToSymbol(b, ...); }
//
// Variables that only host code names are still emitted for devices. clang
// emits them last, in the order of a hash set of pointers, so a module differs
// from one compile to the next. Here they are passed to code generation
// earlier, in the order of their mangled names.
//
// clang has no hook there: the program is linked with --wrap= for a function of
// Sema (Clang.cmake), whose calls arrive here first.
//
//===----------------------------------------------------------------------===//

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/STLExtras.h"

#include <string>
#include <utility>
#include <vector>

using namespace clang;

// The function of clang, and ours in its place. A member function is called as
// a function whose first parameter is the object.
void realEndOfTranslationUnit(Sema *) __asm__(
    "__real__ZN5clang4Sema25ActOnEndOfTranslationUnitEv");
void wrapEndOfTranslationUnit(Sema *) __asm__(
    "__wrap__ZN5clang4Sema25ActOnEndOfTranslationUnitEv");

/// Whether code generation got \p variable when it was declared: what is local
/// to the unit it puts off until something has a use for it.
static bool isEmitted(ASTContext &context, const VarDecl &variable) {
  return variable.hasAttr<UsedAttr>() || (variable.isExternallyVisible() &&
                                          context.DeclMustBeEmitted(&variable));
}

/// Lets the consumer of \p sema emit \p variable now: what is marked as used is
/// not put off.
static void emitNow(Sema &sema, VarDecl &variable) {
  if (isEmitted(sema.Context, variable))
    return;
  variable.addAttr(UsedAttr::CreateImplicit(sema.Context));
  sema.Consumer.HandleTopLevelDecl(DeclGroupRef(&variable));
  variable.dropAttr<UsedAttr>();
}

void wrapEndOfTranslationUnit(Sema *sema) {
  realEndOfTranslationUnit(sema);
  ASTContext &context = sema->Context;
  if (!sema->getLangOpts().CUDAIsDevice ||
      context.getDiagnostics().hasErrorOccurred())
    return;
  ASTNameGenerator names(context);
  std::vector<std::pair<std::string, VarDecl *>> variables;
  for (const VarDecl *used : context.CUDADeviceVarODRUsedByHost)
    if (const VarDecl *definition = used->getDefinition(context))
      variables.emplace_back(names.getName(definition),
                             const_cast<VarDecl *>(definition));
  llvm::sort(variables, llvm::less_first());
  for (const auto &[name, variable] : variables)
    emitNow(*sema, *variable);
}
