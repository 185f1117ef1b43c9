//===- DriverEmptyLists.cpp - {} assigned to a pair of halves -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   half2 sum; sum = {};
//
// The toolkit's class has assignments from itself and from __half2_raw, and {}
// matches both; in device code nvcc takes the former, while clang finds the
// call ambiguous. Here {} becomes __half2{}, which matches only the former.
// Both mean the same: zeros. This also accepts host code, which GCC does not.
//
// clang has no hook there: the program is linked with --wrap= for a function of
// Sema (Clang.cmake), whose calls arrive here first.
//
//===----------------------------------------------------------------------===//

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/Sema/Ownership.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

// The function of clang, and ours in its place. A member function is called as
// a function whose first parameter is the object.
#define GPULTO_CREATE_OPERATION                                                \
  "_ZN5clang4Sema21CreateOverloadedBinOpENS_14SourceLocationENS_18"            \
  "BinaryOperatorKindERKNS_17UnresolvedSetImplEPNS_4ExprES7_bbPNS_12"          \
  "FunctionDeclE"
using CreateOperation = ExprResult(Sema *, SourceLocation, BinaryOperatorKind,
                                   const UnresolvedSetImpl &, Expr *, Expr *,
                                   bool, bool, FunctionDecl *);
CreateOperation realCreateOperation __asm__("__real_" GPULTO_CREATE_OPERATION);
CreateOperation wrapCreateOperation __asm__("__wrap_" GPULTO_CREATE_OPERATION);

/// Whether \p type is one of the toolkit's that {} can be assigned to in two
/// ways.
static bool hasRawForm(QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && record->getIdentifier() &&
         record->getDeclContext()->isTranslationUnit() &&
         llvm::StringSwitch<bool>(record->getName())
             .Cases({"__half2", "__nv_bfloat162"}, true)
             .Default(false);
}

ExprResult wrapCreateOperation(Sema *sema, SourceLocation place,
                               BinaryOperatorKind operation,
                               const UnresolvedSetImpl &functions, Expr *left,
                               Expr *right, bool asksArguments, bool rewrites,
                               FunctionDecl *defaulted) {
  auto *list = dyn_cast<InitListExpr>(right);
  if (operation == BO_Assign && list && list->getNumInits() == 0 &&
      sema->getLangOpts().CUDA && hasRawForm(left->getType())) {
    QualType type = left->getType().getUnqualifiedType();
    SourceLocation begin = list->getLBraceLoc();
    ExprResult object = sema->BuildCXXTypeConstructExpr(
        sema->Context.getTrivialTypeSourceInfo(type, begin), begin, right,
        list->getRBraceLoc(), /*ListInitialization=*/true);
    if (object.isUsable())
      right = object.get();
  }
  return realCreateOperation(sema, place, operation, functions, left, right,
                             asksArguments, rewrites, defaulted);
}
