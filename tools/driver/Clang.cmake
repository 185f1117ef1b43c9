# clang's libraries, for a program that is clang. Sets
#
#   GPULTO_CLANG_LIBRARIES     what clang's driver and front end consist of
#   GPULTO_CLANG_LINK_OPTIONS  replaces the functions that
#                              DriverSharedVariables.cpp,
#                              DriverDeviceVisibility.cpp,
#                              DriverDeviceConstants.cpp,
#                              DriverDeviceOrder.cpp, DriverEmptyLists.cpp and
#                              DriverParameterNames.cpp stand in for, and keeps
#                              the program small and quick to start
find_package(Clang REQUIRED CONFIG
             PATHS "${GPULTO_LLVM_ROOT}/lib/cmake/clang" NO_DEFAULT_PATH)
if(NOT Clang_VERSION VERSION_EQUAL LLVM_PACKAGE_VERSION)
  message(FATAL_ERROR "clang ${Clang_VERSION} and LLVM ${LLVM_PACKAGE_VERSION}: "
          "they must be the same release")
endif()
set(GPULTO_CLANG_LIBRARIES clangFrontendTool clangDriver clangFrontend
    clangCodeGen clangSema clangSerialization clangOptions clangBasic)
if(GPULTO_ONE_PROGRAM)
  # Archives; CMake's names for them bring libLLVM along.
  set(GPULTO_CLANG_LIBRARIES ${GPULTO_LLVM_LIBRARY})
endif()

# The mangled names; a wrong one does not link.
set(replaced
    # clang::CodeGen::CodeGenFunction::EmitFunctionProlog(
    #     const clang::CodeGen::CGFunctionInfo &, llvm::Function *,
    #     const clang::CodeGen::FunctionArgList &)
    _ZN5clang7CodeGen15CodeGenFunction18EmitFunctionPrologERKNS0_14CGFunctionInfoEPN4llvm8FunctionERKNS0_15FunctionArgListE
    # clang::CodeGen::CodeGenFunction::EmitNVPTXBuiltinExpr(
    #     unsigned, const clang::CallExpr *)
    _ZN5clang7CodeGen15CodeGenFunction20EmitNVPTXBuiltinExprEjPKNS_8CallExprE
    # clang::NamedDecl::getLinkageAndVisibility() const
    _ZNK5clang9NamedDecl23getLinkageAndVisibilityEv
    # clang::SemaCUDA::MaybeAddConstantAttr(clang::VarDecl *)
    _ZN5clang8SemaCUDA20MaybeAddConstantAttrEPNS_7VarDeclE
    # clang::SemaCUDA::checkAllowedInitializer(clang::VarDecl *)
    _ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE
    # clang::SemaCUDA::CheckCall(clang::SourceLocation, clang::FunctionDecl *)
    _ZN5clang8SemaCUDA9CheckCallENS_14SourceLocationEPNS_12FunctionDeclE
    # clang::SemaCUDA::IdentifyPreference(const clang::FunctionDecl *,
    #                                     const clang::FunctionDecl *)
    _ZN5clang8SemaCUDA18IdentifyPreferenceEPKNS_12FunctionDeclES3_
    # clang::Sema::ActOnEndOfTranslationUnit()
    _ZN5clang4Sema25ActOnEndOfTranslationUnitEv
    # clang::Sema::ActOnUninitializedDecl(clang::Decl *)
    _ZN5clang4Sema22ActOnUninitializedDeclEPNS_4DeclE
    # clang::Sema::CreateOverloadedBinOp(
    #     clang::SourceLocation, clang::BinaryOperatorKind,
    #     const clang::UnresolvedSetImpl &, clang::Expr *, clang::Expr *, bool,
    #     bool, clang::FunctionDecl *)
    _ZN5clang4Sema21CreateOverloadedBinOpENS_14SourceLocationENS_18BinaryOperatorKindERKNS_17UnresolvedSetImplEPNS_4ExprES7_bbPNS_12FunctionDeclE)
set(GPULTO_CLANG_LINK_OPTIONS LINKER:--gc-sections
    $<$<CONFIG:Release>:LINKER:--strip-all>)
foreach(name IN LISTS replaced)
  list(APPEND GPULTO_CLANG_LINK_OPTIONS "LINKER:--wrap=${name}")
endforeach()
# Of 20,000 relocations 30 KB: the linker of Debian 12 and its C library can.
# Packages also run with older ones.
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:-z,pack-relative-relocs GPULTO_PACKS_RELOCATIONS)
if(GPULTO_PACKS_RELOCATIONS AND NOT GPULTO_ONE_PROGRAM)
  list(APPEND GPULTO_CLANG_LINK_OPTIONS LINKER:-z,pack-relative-relocs)
endif()
