//===- DriverSharedVariables.cpp - __shared__ variables of class type -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   __shared__ cuda::barrier<cuda::thread_scope_block> ready;
//
// Constructors and destructors of such a variable do not run: each block has
// one, from its start. nvcc accepts it, and warns where they would do
// something; clang refuses it there ("initialization is not supported for
// __shared__ variables"), though its code generation drops initializers of
// shared variables in any case. Here it is accepted as by nvcc:
//
//   1. The variable's initializer is the default one, that of a variable
//      declared without any. Both refuse `= 5` and `{}`.
//   2. It is in a function, or is initialized with constants and not destroyed:
//      both refuse other variables at file scope.
//   3. If constructor or destructor are not empty, a warning in -Wcuda-compat
//      says that they do not run. nvcc does not warn about constructors that
//      store constants, though the value is lost as well.
//   4. The initializer is removed from the tree.
//   5. They may also be host functions: a constructor that does not run need
//      not be callable from device code.
//
// clang has no hook there: the program is linked with --wrap= for functions of
// Sema (Clang.cmake), whose calls arrive here first.
//
//===----------------------------------------------------------------------===//

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"

#include <utility>

using namespace clang;

// The functions of clang, and ours in their place. A member function is called
// as a function whose first parameter is the object.
void realCheckInitializer(SemaCUDA *, VarDecl *) __asm__(
    "__real__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE");
void wrapCheckInitializer(SemaCUDA *, VarDecl *) __asm__(
    "__wrap__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE");
bool realCheckCall(SemaCUDA *, SourceLocation, FunctionDecl *) __asm__(
    "__real__ZN5clang8SemaCUDA9CheckCallENS_14SourceLocationEPNS_12"
    "FunctionDeclE");
bool wrapCheckCall(SemaCUDA *, SourceLocation, FunctionDecl *) __asm__(
    "__wrap__ZN5clang8SemaCUDA9CheckCallENS_14SourceLocationEPNS_12"
    "FunctionDeclE");
SemaCUDA::CUDAFunctionPreference realIdentifyPreference(
    SemaCUDA *, const FunctionDecl *,
    const FunctionDecl
        *) __asm__("__real__ZN5clang8SemaCUDA18IdentifyPreferenceEPKNS_12"
                   "FunctionDeclES3_");
SemaCUDA::CUDAFunctionPreference wrapIdentifyPreference(
    SemaCUDA *, const FunctionDecl *,
    const FunctionDecl
        *) __asm__("__wrap__ZN5clang8SemaCUDA18IdentifyPreferenceEPKNS_12"
                   "FunctionDeclES3_");
void realActOnUninitialized(Sema *, Decl *) __asm__(
    "__real__ZN5clang4Sema22ActOnUninitializedDeclEPNS_4DeclE");
void wrapActOnUninitialized(Sema *, Decl *) __asm__(
    "__wrap__ZN5clang4Sema22ActOnUninitializedDeclEPNS_4DeclE");

namespace {

/// The variable that gets its default initializer at the moment, if it is a
/// shared one. There is no way to hand it through clang.
thread_local const VarDecl *initialized = nullptr;

/// Returns the class of \p variable or of its elements; null if it is not of
/// class type.
const CXXRecordDecl *classOf(const VarDecl &variable) {
  return variable.getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
}

/// Returns what initializes \p variable by default; null if something else
/// does.
const CXXConstructExpr *defaultInitializer(const VarDecl &variable) {
  if (variable.getInitStyle() != VarDecl::CallInit || !variable.getInit())
    return nullptr;
  const auto *call =
      dyn_cast<CXXConstructExpr>(variable.getInit()->IgnoreImplicit());
  // Parentheses or braces are those of an initializer.
  if (!call || isa<CXXTemporaryObjectExpr>(call) ||
      call->isListInitialization() || call->getParenOrBraceRange().isValid())
    return nullptr;
  return call;
}

/// Whether \p variable is one whose check is due: its type is known.
bool isShared(const VarDecl &variable) {
  const auto *function = dyn_cast<FunctionDecl>(variable.getDeclContext());
  return variable.hasAttr<CUDASharedAttr>() && !variable.isInvalidDecl() &&
         variable.hasGlobalStorage() &&
         !variable.getType()->isDependentType() &&
         !(function && function->isDependentContext()) && classOf(variable);
}

/// Whether nvcc takes \p variable, which \p initializer initializes.
bool isAccepted(SemaCUDA &sema, const VarDecl &variable,
                const CXXConstructExpr &initializer, bool destroys) {
  if (variable.isStaticLocal())
    return true;
  ASTContext &context = sema.getASTContext();
  ASTContext::CUDAConstantEvalContextRAII evaluation(context,
                                                     /*NoWrongSidedVars=*/true);
  return !destroys &&
         initializer.isConstantInitializer(context, /*ForRef=*/false);
}

/// Warns that \p variable is not constructed or destroyed.
void warnOf(SemaCUDA &sema, const VarDecl &variable, bool constructs,
            bool destroys) {
  // Only the device runs of a compile warn.
  if (!sema.getLangOpts().CUDAIsDevice)
    return;
  DiagnosticsEngine &engine = sema.getDiagnostics();
  unsigned id = engine.getDiagnosticIDs()->getCustomDiagID(
      {diag::Severity::Warning,
       "the %select{constructor|destructor|constructor and destructor}0 of "
       "%select{|the elements of }1__shared__ variable %2 "
       "%select{is|is|are}0 not run",
       DiagnosticIDs::CLASS_WARNING, /*ShowInSystemHeader=*/false,
       /*ShowInSystemMacro=*/false, diag::Group::CudaCompat});
  sema.Diag(variable.getLocation(), id)
      << (constructs && destroys ? 2
          : destroys             ? 1
                                 : 0)
      << variable.getType()->isArrayType() << &variable;
}

/// Takes \p variable as nvcc does. False if it does not, or neither does
/// anything.
bool dropInitializer(SemaCUDA &sema, VarDecl &variable) {
  const CXXConstructExpr *initializer = defaultInitializer(variable);
  if (!initializer || !isShared(variable))
    return false;
  SourceLocation place = variable.getLocation();
  bool constructs =
      !sema.isEmptyConstructor(place, initializer->getConstructor());
  bool destroys =
      !sema.isEmptyDestructor(place, classOf(variable)->getDestructor());
  if ((!constructs && !destroys) ||
      !isAccepted(sema, variable, *initializer, destroys))
    return false;
  warnOf(sema, variable, constructs, destroys);
  variable.setInit(nullptr);
  return true;
}

} // namespace

void wrapCheckInitializer(SemaCUDA *sema, VarDecl *variable) {
  if (!dropInitializer(*sema, *variable))
    realCheckInitializer(sema, variable);
}

void wrapActOnUninitialized(Sema *sema, Decl *declaration) {
  const auto *variable = dyn_cast_or_null<VarDecl>(declaration);
  bool isOurs = variable && sema->getLangOpts().CUDA &&
                variable->isStaticLocal() && isShared(*variable);
  const VarDecl *outer =
      std::exchange(initialized, isOurs ? variable : nullptr);
  realActOnUninitialized(sema, declaration);
  initialized = outer;
}

bool wrapCheckCall(SemaCUDA *sema, SourceLocation place, FunctionDecl *callee) {
  // Of a shared variable neither is called.
  if (initialized && isa<CXXConstructorDecl, CXXDestructorDecl>(callee) &&
      place == initialized->getLocation())
    return true;
  return realCheckCall(sema, place, callee);
}

SemaCUDA::CUDAFunctionPreference
wrapIdentifyPreference(SemaCUDA *sema, const FunctionDecl *caller,
                       const FunctionDecl *callee) {
  SemaCUDA::CUDAFunctionPreference real =
      realIdentifyPreference(sema, caller, callee);
  if (real != SemaCUDA::CFP_Never || !initialized)
    return real;
  // Overload resolution knows the constructors but not what calls them.
  const auto *constructor = dyn_cast<CXXConstructorDecl>(callee);
  bool isMeant =
      constructor && caller == initialized->getDeclContext() &&
      declaresSameEntity(constructor->getParent(), classOf(*initialized));
  return isMeant ? SemaCUDA::CFP_WrongSide : real;
}
