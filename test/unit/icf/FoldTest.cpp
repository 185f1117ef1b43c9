//===- FoldTest.cpp - Forms, comparison and merging of bodies -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"
#include "icf/FoldForm.h"
#include "icf/FoldTransform.h"
#include "icf/PtxAssembly.h"
#include "test/unit/ErrorChecks.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

using namespace gpulto;
using namespace llvm;

namespace {

class Pair {
public:
  /// \p text defines @f and @g.
  explicit Pair(const std::string &text) {
    SMDiagnostic problem;
    module = parseAssemblyString(text, problem, context);
    EXPECT_TRUE(module) << problem.getMessage().str() << "\n" << text;
  }
  Function &f() { return *module->getFunction("f"); }
  Function &g() { return *module->getFunction("g"); }

  bool sameForm() {
    FoldFormer former(*module);
    FoldForm x = former.formOf(f()), y = former.formOf(g());
    return !x.hash.isNone() && x.hash == y.hash &&
           x.symbols.size() == y.symbols.size();
  }
  /// Merges @g into @f, and returns what the comparison says.
  std::string merged() {
    std::string message = test::messageOf(mergeFolded(f(), g()));
    EXPECT_FALSE(verifyModule(*module, &errs()));
    return message;
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};

/// Two bodies, the second of which is that of the first with \p from replaced.
std::string twoBodies(const std::string &head, const std::string &body,
                      const std::string &from, const std::string &to) {
  std::string other = body;
  size_t at = other.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos)
    other.replace(at, from.size(), to);
  return head + "define void @f" + body + "define void @g" + other;
}

const char kHead[] = R"(
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
%S = type { i32 }
%T = type { float }
@text = private unnamed_addr constant [3 x i8] c"ab\00"
@same = private unnamed_addr constant [3 x i8] c"ab\00"
@other = private unnamed_addr constant [3 x i8] c"ac\00"
@data = external global i32
@more = external global i32
declare i32 @callee(i32)
declare i32 @stranger(i32)
declare void @use(ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.assume(i1)
)";

const char kBody[] = R"((ptr %p, ptr noalias %q, i32 %n) {
entry:
  %slot = alloca i32, align 4
  %at = getelementptr inbounds i32, ptr %p, i32 %n
  %a = load i32, ptr %at, align 4, !range !0
  %b = add nsw i32 %a, %n
  %c = call i32 @callee(i32 noundef %b)
  %x = sitofp i32 %c to float
  %y = fadd contract float %x, 1.0
  call void @use(ptr @text)
  store volatile i32 %c, ptr @data, align 4
  %order = icmp slt i32 %c, 7
  br i1 %order, label %left, label %right, !prof !1
left:
  %old = atomicrmw add ptr %q, i32 1 monotonic, align 4
  br label %right
right:
  %joined = phi i32 [ %b, %entry ], [ %old, %left ]
  store i32 %joined, ptr %slot, align 4
  ret void
}
!0 = !{i32 0, i32 9}
!1 = !{!"branch_weights", i32 3, i32 4}
)";

/// kBody without its metadata nodes, which a module has once.
std::string body() {
  std::string text = kBody;
  return text.substr(0, text.find("!0 ="));
}
std::string nodes() {
  std::string text = kBody;
  return text.substr(text.find("!0 ="));
}

TEST(Fold, SeesThroughNamesAndPromises) {
  for (auto [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"inbounds i32, ptr %p, i32 %n", "%S, ptr %p, i32 %n"},
           {"inbounds i32, ptr %p", "i32, ptr %p"},
           {", !range !0", ""},
           {"add nsw", "add"},
           {"noundef ", ""},
           {"@text", "@same"},
           {", !prof !1", ""},
           {"i32 noundef %b)", "i32 noundef %b), !heapallocsite !0"},
           {"%slot = alloca i32", "%slot = alloca %T"},
           {"i32 %n) {", "i32 zeroext %n) {"},
           {"  %b = add", "  call void @llvm.assume(i1 true)\n  %b = add"}}) {
    Pair pair(twoBodies(kHead, body(), from, to) + nodes());
    EXPECT_TRUE(pair.sameForm()) << from;
    EXPECT_EQ(pair.merged(), "success") << from;
  }
}

TEST(Fold, SeesWhatCounts) {
  for (auto [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"alloca i32, align 4", "alloca i32, align 8"},
           {"alloca i32,", "alloca i64,"},
           {"inbounds i32, ptr %p", "inbounds i64, ptr %p"},
           {"ptr %at, align 4, !range", "ptr %at, align 2, !range"},
           {"load i32, ptr %at", "load volatile i32, ptr %at"},
           {"add nsw i32 %a, %n", "add nsw i32 %n, %a"},
           {"add nsw", "sub nsw"},
           {"call i32 @callee", "call fastcc i32 @callee"},
           {"call i32 @callee", "tail call i32 @callee"},
           {"i32 noundef %b", "i32 signext %b"},
           {"fadd contract", "fadd"},
           {"fadd contract", "fadd fast"},
           {"1.0", "2.0"},
           {"ptr @text", "ptr @other"},
           {"store volatile", "store"},
           {"slt i32", "ult i32"},
           {"%c, 7", "%c, 8"},
           {"label %left, label %right, !prof", "label %right, label %left, "
                                                "!prof"},
           {"atomicrmw add", "atomicrmw sub"},
           {"monotonic", "acquire"},
           {"monotonic", "syncscope(\"device\") monotonic"},
           {"[ %b, %entry ]", "[ %a, %entry ]"},
           {"i32 %n) {", "i32 %n) section \"hot\" {"},
           {"i32 %n) {", "i32 %n) align 64 {"},
           {"i32 %n) {", "i32 %n) strictfp {"},
           {"i32 %n) {", "i32 %n) \"target-features\"=\"+avx\" {"}}) {
    Pair pair(twoBodies(kHead, body(), from, to) + nodes());
    EXPECT_FALSE(pair.sameForm()) << from << " -> " << to;
    EXPECT_NE(pair.merged(), "success") << from << " -> " << to;
  }
}

/// Symbols are numbered in the form; the comparison wants them to be the same.
TEST(Fold, LeavesSymbolsToTheProgram) {
  for (auto [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"@callee", "@stranger"}, {"ptr @data", "ptr @more"}}) {
    Pair pair(twoBodies(kHead, body(), from, to) + nodes());
    EXPECT_TRUE(pair.sameForm()) << from;
    EXPECT_NE(pair.merged(), "success") << from;
  }
  // One symbol twice is not two symbols.
  std::string twice = R"(() {
  store i32 1, ptr @data
  store i32 2, ptr @data
  ret void
}
)";
  Pair pair(twoBodies(kHead, twice, "i32 2, ptr @data", "i32 2, ptr @more"));
  EXPECT_FALSE(pair.sameForm());
}

TEST(Fold, MergesToWhatBothPromise) {
  Pair pair(std::string(kHead) + R"(
define void @f(ptr noalias nocapture nonnull %p, ptr dereferenceable(8) %q) nounwind willreturn memory(argmem: read) {
  %slot = alloca i32
  call void @llvm.lifetime.start.p0(i64 4, ptr %slot)
  %a = load i32, ptr %p, align 4, !range !0, !noundef !1
  %b = add nuw nsw i32 %a, 1
  %c = call noundef i32 @callee(i32 noundef %b)
  ret void
}
define void @g(ptr nocapture nonnull %p, ptr dereferenceable(4) %q) nounwind memory(argmem: write) {
  %slot = alloca i32
  %a = load i32, ptr %p, align 4, !range !2, !noundef !1
  %b = add nsw i32 %a, 1
  %c = call i32 @callee(i32 noundef %b)
  ret void
}
!0 = !{i32 0, i32 9}
!1 = !{}
!2 = !{i32 0, i32 8}
)");
  ASSERT_TRUE(pair.sameForm());
  ASSERT_EQ(pair.merged(), "success");
  Function &f = pair.f();
  EXPECT_FALSE(f.hasParamAttribute(0, Attribute::NoAlias));
  EXPECT_TRUE(f.getArg(0)->hasNoCaptureAttr());
  EXPECT_TRUE(f.hasParamAttribute(0, Attribute::NonNull));
  EXPECT_FALSE(f.hasParamAttribute(1, Attribute::Dereferenceable));
  EXPECT_FALSE(f.hasFnAttribute(Attribute::WillReturn));
  EXPECT_EQ(f.getMemoryEffects(), MemoryEffects::argMemOnly());
  for (Instruction &i : instructions(f)) {
    if (auto *load = dyn_cast<LoadInst>(&i)) {
      EXPECT_FALSE(load->hasMetadata(LLVMContext::MD_range));
      EXPECT_TRUE(load->hasMetadata(LLVMContext::MD_noundef));
    }
    if (i.getOpcode() == Instruction::Add) {
      EXPECT_FALSE(i.hasNoUnsignedWrap());
      EXPECT_TRUE(i.hasNoSignedWrap());
    }
    if (auto *call = dyn_cast<CallInst>(&i)) {
      EXPECT_EQ(call->getCalledFunction()->getName(), "callee");
      EXPECT_FALSE(call->hasRetAttr(Attribute::NoUndef));
      EXPECT_TRUE(call->paramHasAttr(0, Attribute::NoUndef));
    }
  }
}

/// How callers extend a narrow parameter is theirs; how a result is extended is
/// the body's.
TEST(Fold, ForgetsHowParametersAreExtended) {
  Pair parameter(R"(
define i16 @f(i16 signext %a, i16 zeroext %b) {
  ret i16 %a
}
define i16 @g(i16 zeroext %a, i16 zeroext %b) {
  ret i16 %a
}
)");
  EXPECT_TRUE(parameter.sameForm());
  EXPECT_EQ(parameter.merged(), "success");
  EXPECT_FALSE(parameter.f().hasParamAttribute(0, Attribute::SExt));
  EXPECT_FALSE(parameter.f().hasParamAttribute(0, Attribute::ZExt));
  EXPECT_TRUE(parameter.f().hasParamAttribute(1, Attribute::ZExt));
  Pair result(R"(
define signext i16 @f(i16 %a) {
  ret i16 %a
}
define zeroext i16 @g(i16 %a) {
  ret i16 %a
}
)");
  EXPECT_FALSE(result.sameForm());
  EXPECT_NE(result.merged(), "success");
}

TEST(Fold, SeesThroughTheSignInPtx) {
  for (auto [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"add.s32", "add.u32"}, {"max.s32", "max.u32"}}) {
    const std::string head = "target triple = \"nvptx64-nvidia-cuda\"\n";
    const std::string body = "(i32 %a, ptr %p) {\n  %r = call i32 asm \"" +
                             from + " $0, $1, 3;\", \"=r,r\"(i32 %a)\n" +
                             "  store i32 %r, ptr %p\n  ret void\n}\n";
    bool isSame = from == "add.s32";
    Pair device(twoBodies(head, body, from, to));
    EXPECT_EQ(device.sameForm(), isSame) << from;
    EXPECT_EQ(device.merged() == "success", isSame) << from;
    Pair host(twoBodies("", body, from, to));
    EXPECT_FALSE(host.sameForm()) << from;
    EXPECT_NE(host.merged(), "success") << from;
  }
}

TEST(PtxAssembly, ForgetsTheSignWhereItMeansNothing) {
  for (auto [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {"add.s32 $0, $1, $2;", "add.b32 $0, $1, $2;"},
           {"{  .reg .u32 r0;  .reg .pred p;  @p add.u64 r0, r0, $4;}",
            "{  .reg .b32 r0;  .reg .pred p;  @p add.b64 r0, r0, $4;}"},
           {"mov.b64 {lo, hi}, $1;\n\tmul.lo.s16 a, b, c;",
            "mov.b64 {lo, hi}, $1;\n\tmul.lo.b16 a, b, c;"},
           {"@!p sub.cc.u32 a, b, c", "@!p sub.cc.b32 a, b, c"},
           {"mad.lo.s32 a, b, c, d;", "mad.lo.b32 a, b, c, d;"},
           {"setp.ne.u32 p, a, b;", "setp.ne.b32 p, a, b;"},
           {"atom.global.add.s32 a, [b], c;", "atom.global.add.b32 a, [b], c;"},
           {"ld.global.cg.u64 a, [b];", "ld.global.cg.b64 a, [b];"},
           {"st.global.v4.s32 [a], {b, c, d, e};",
            "st.global.v4.b32 [a], {b, c, d, e};"}})
    EXPECT_EQ(signlessPtx(text), expected);
  for (std::string text : {"add.sat.s32 a, b, c;",
                           "min.s32 a, b, c;",
                           "max.u32 a, b, c;",
                           "mul.hi.u32 a, b, c;",
                           "mul.wide.s32 a, b, c;",
                           "div.s32 a, b, c;",
                           "shr.s32 a, b, c;",
                           "setp.lt.s32 p, a, b;",
                           "cvt.s64.s32 a, b;",
                           "ld.global.s32 a, [b];",
                           "add.f32 a, b, c;",
                           "add.u16x2 a, b, c;",
                           "atom.global.max.s32 a, [b], c;",
                           "bfe.u32 a, b, c, d;",
                           "// add.s32 a, b, c;",
                           "add.s32 a, b, c; // sum",
                           "$(add.s32$|sub.s32$) a, b, c;",
                           "add",
                           "add.",
                           ".reg",
                           ".",
                           "@",
                           "add.s32.x a, b;"})
    EXPECT_EQ(signlessPtx(text), text);
}

TEST(Fold, LeavesSomeBodiesAlone) {
  Pair pair(R"(
define void @f() {
  br label %x
x:
  store volatile ptr blockaddress(@f, %x), ptr null
  ret void
}
define void @g() prefix i32 3 {
  ret void
}
)");
  FoldFormer former(*pair.module);
  EXPECT_TRUE(former.formOf(pair.f()).hash.isNone());
  EXPECT_TRUE(former.formOf(pair.g()).hash.isNone());
  Pair host(R"(
declare ptr @llvm.returnaddress(i32)
define ptr @f() {
  %a = call ptr @llvm.returnaddress(i32 0)
  ret ptr %a
}
define void @g(ptr swifterror %e) {
  ret void
}
)");
  FoldFormer other(*host.module);
  EXPECT_TRUE(other.formOf(host.f()).hash.isNone());
  EXPECT_TRUE(other.formOf(host.g()).hash.isNone());
}

TEST(Fold, UnmarkedMathIsOfItsUnit) {
  Pair pair(R"(
define float @f(float %a) {
  %x = fmul float %a, %a
  ret float %x
}
define float @g(float %a) {
  %x = fmul contract float %a, %a
  ret float %x
}
)");
  FoldFormer fusing(*pair.module, /*fusesAll=*/true), plain(*pair.module);
  EXPECT_NE(fusing.formOf(pair.f()).hash, plain.formOf(pair.f()).hash);
  EXPECT_EQ(fusing.formOf(pair.g()).hash, plain.formOf(pair.g()).hash);
}

TEST(Fold, ComparesLandingPadsAndMetadataOfFunctions) {
  const std::string head = R"(
@one = external constant ptr
@two = external constant ptr
declare void @callee()
declare i32 @personality(...)
)";
  const std::string body = R"(() personality ptr @personality !kcfi_type !0 {
  invoke void @callee() to label %done unwind label %pad
pad:
  %p = landingpad { ptr, i32 } catch ptr @one
  ret void
done:
  ret void
}
)";
  const std::string nodes = "!0 = !{i32 1}\n!1 = !{i32 2}\n";
  Pair same(twoBodies(head, body, "@one", "@one") + nodes);
  EXPECT_TRUE(same.sameForm());
  EXPECT_EQ(same.merged(), "success");
  Pair type(twoBodies(head, body, "catch ptr @one", "catch ptr @two") + nodes);
  EXPECT_NE(type.merged(), "success");
  for (auto [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"catch ptr @one", "cleanup"},
           {"catch ptr @one", "filter [1 x ptr] [ptr @one]"},
           {"!kcfi_type !0", "!kcfi_type !1"},
           {" !kcfi_type !0", ""}}) {
    Pair pair(twoBodies(head, body, from, to) + nodes);
    EXPECT_FALSE(pair.sameForm()) << to;
    EXPECT_NE(pair.merged(), "success") << to;
  }
}

TEST(Fold, SeesThroughThePlacesOfLoops) {
  const std::string body = R"((i1 %more) {
  br label %loop
loop:
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret void
}
)";
  const std::string nodes = R"(
!0 = distinct !{!0, !2}
!1 = distinct !{!1, !3}
!2 = !DILocation(line: 1, scope: !4)
!3 = !{!"llvm.loop.unroll.disable"}
!4 = distinct !DISubprogram(name: "f", unit: !5)
!5 = distinct !DICompileUnit(language: DW_LANG_C, file: !6)
!6 = !DIFile(filename: "a.c", directory: "")
!llvm.dbg.cu = !{!5}
!llvm.module.flags = !{!7}
!7 = !{i32 2, !"Debug Info Version", i32 3}
)";
  Pair same(twoBodies("", body, ", !llvm.loop !0", "") + nodes);
  EXPECT_TRUE(same.sameForm());
  EXPECT_EQ(same.merged(), "success");
  Pair other(twoBodies("", body, "!llvm.loop !0", "!llvm.loop !1") + nodes);
  EXPECT_FALSE(other.sameForm());
  EXPECT_NE(other.merged(), "success");
}

TEST(Fold, JumpsWithTheSignatureOfTheTarget) {
  Pair pair(R"(
%S = type { i32, i64 }
define weak_odr void @f(ptr sret(%S) align 8 %r, i8 zeroext %a, ptr nonnull %p) nounwind {
  store i8 %a, ptr %p
  ret void
}
define fastcc noundef i32 @g(i32 %n) {
  ret i32 %n
}
declare void @target(ptr, i8, ptr)
declare fastcc i32 @other(i32)
)");
  makeJump(pair.f(), *pair.module->getFunction("target"));
  makeJump(pair.g(), *pair.module->getFunction("other"));
  EXPECT_FALSE(verifyModule(*pair.module, &errs()));
  EXPECT_EQ(pair.f().getLinkage(), GlobalValue::WeakODRLinkage);
  for (Function *function : {&pair.f(), &pair.g()}) {
    auto &call = cast<CallInst>(function->getEntryBlock().front());
    EXPECT_TRUE(call.isTailCall());
    EXPECT_TRUE(call.isNoInline());
    EXPECT_EQ(call.getCallingConv(), function->getCallingConv());
    EXPECT_EQ(function->getEntryBlock().size(), 2u);
  }
  auto &call = cast<CallInst>(pair.f().getEntryBlock().front());
  EXPECT_TRUE(call.paramHasAttr(0, Attribute::StructRet));
  EXPECT_TRUE(call.paramHasAttr(1, Attribute::ZExt));
  EXPECT_FALSE(call.paramHasAttr(2, Attribute::NonNull));
}

/// The numbers that the mark of the only call in \p function holds.
std::vector<uint64_t> calleesIn(Function &function) {
  std::vector<uint64_t> numbers;
  for (Instruction &i : instructions(function))
    if (const MDNode *mark = i.getMetadata(kCalleeMark))
      for (const MDOperand &number : mark->operands())
        numbers.push_back(
            mdconst::extract<ConstantInt>(number)->getZExtValue());
  return numbers;
}

TEST(Fold, NotesWhomTheSourceCalls) {
  const std::string text = R"(
declare void @leader()
declare void @member()
define void @f() {
  call void @leader()
  ret void
}
define void @g() {
  call void @member()
  ret void
}
)";
  auto build = [&](Pair &pair, unsigned called) {
    Function &leader = *pair.module->getFunction("leader");
    Function &member = *pair.module->getFunction("member");
    markCallsOf(member, called);
    member.replaceAllUsesWith(&leader);
    markCallsOf(leader, 3); // where there is no note yet
    EXPECT_EQ(calleesIn(pair.f()), std::vector<uint64_t>{3});
    EXPECT_EQ(calleesIn(pair.g()), std::vector<uint64_t>{called});
    EXPECT_EQ(test::messageOf(mergeFolded(pair.f(), pair.g(), 8)), "success");
  };
  Pair others(text);
  build(others, 4);
  EXPECT_EQ(calleesIn(others.f()), (std::vector<uint64_t>{3, 8, 4}));
  Pair same(text);
  build(same, 3);
  EXPECT_EQ(calleesIn(same.f()), std::vector<uint64_t>{3});
  // Who only has the body to inline it does not know what members call.
  dropPromises(others.f());
  EXPECT_EQ(calleesIn(others.f()), std::vector<uint64_t>{kUnknownCallee});
}

TEST(Fold, DropsWhatMembersMightNotPromise) {
  Pair pair(twoBodies(kHead, body(), "add nsw", "add nsw") + nodes());
  dropPromises(pair.f());
  EXPECT_FALSE(verifyModule(*pair.module, &errs()));
  EXPECT_FALSE(pair.f().hasParamAttribute(1, Attribute::NoAlias));
  for (Instruction &i : instructions(pair.f())) {
    EXPECT_FALSE(i.hasMetadata(LLVMContext::MD_range));
    EXPECT_FALSE(isa<OverflowingBinaryOperator>(i) && i.hasNoSignedWrap());
    if (auto *at = dyn_cast<GetElementPtrInst>(&i)) {
      EXPECT_FALSE(at->isInBounds());
    }
    if (isa<BranchInst>(i) && cast<BranchInst>(i).isConditional()) {
      EXPECT_TRUE(i.hasMetadata(LLVMContext::MD_prof));
    }
    if (i.getOpcode() == Instruction::FAdd) {
      EXPECT_TRUE(i.hasAllowContract());
    }
  }
  // It still does the same.
  EXPECT_TRUE(pair.sameForm());
  EXPECT_EQ(pair.merged(), "success");
}

} // namespace
