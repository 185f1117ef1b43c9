//===- ClosedMemoryTest.cpp - Memory that a module keeps to itself --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ipa/callers/ClosedMemory.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace gpulto;

namespace {

/// A list of nodes {next, pointer, count} that begins at the second field of a
/// variable {count, first}. `remember` adds a node for its argument.
struct ListModule {
  /// In `remember`, behind the store of the argument.
  std::string more;
  /// In `look`, which gets %node, the first one, and %pointer, read from it.
  std::string look = "  %is = icmp eq ptr %pointer, %other\n"
                     "  ret i1 %is\n";
  std::string result = "i1";
  std::string rest; ///< of the module
  /// How the node gets into the list.
  std::string link = "  store ptr %node, ptr @list.first\n";
  std::string begin = "@list.first = internal global ptr null\n";

  std::string text() const {
    return "@list = internal global { i64, ptr } zeroinitializer\n" + begin +
           R"(
@outside = global ptr null
@number = global i64 0
declare ptr @_Znwm(i64)
declare void @_ZdlPv(ptr)
declare void @away(ptr)
declare void @_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(i1, ptr, ptr, ptr)
define void @remember(ptr %argument) {
  %node = call ptr @_Znwm(i64 24)
  %slot = getelementptr i8, ptr %node, i64 8
  store ptr %argument, ptr %slot
)" + more + link +
           R"(
  ret void
}
define internal )" +
           result + R"( @look(ptr %other) {
  %node = load ptr, ptr @list.first
  %slot = getelementptr i8, ptr %node, i64 8
  %pointer = load ptr, ptr %slot
)" + look + R"(
}
)" + rest + R"(
!0 = !{!1, !1, i64 0}
!1 = !{!"long", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C++ TBAA"}
!4 = !{!2, !2, i64 0}
)";
  }
};

/// Whether the list keeps what `remember` stores.
bool keeps(const ListModule &list) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(list.text(), diagnostic, context);
  EXPECT_NE(module, nullptr) << diagnostic.getMessage().str();
  if (!module)
    return false;
  ClosedMemory memory;
  for (const Instruction &instruction :
       instructions(*module->getFunction("remember")))
    if (auto *store = dyn_cast<StoreInst>(&instruction);
        store && isa<Argument>(store->getValueOperand()))
      return memory.keeps(*store->getPointerOperand());
  ADD_FAILURE() << "no store";
  return false;
}

ListModule looking(const std::string &look, const std::string &result = "void",
                   const std::string &rest = "") {
  ListModule list;
  list.look = look;
  list.result = result;
  list.rest = rest;
  return list;
}

TEST(ClosedMemory, KeepsWhatIsOnlyCompared) {
  EXPECT_TRUE(keeps(ListModule()));
  EXPECT_TRUE(keeps(looking("  call void @_ZdlPv(ptr %node)\n  ret void\n")));
}

TEST(ClosedMemory, OpensWherePointersGetOut) {
  EXPECT_FALSE(keeps(looking("  store ptr %pointer, ptr @outside\n"
                             "  ret void\n")));
  EXPECT_FALSE(keeps(looking("  call void @away(ptr %node)\n  ret void\n")));
  EXPECT_FALSE(keeps(looking("  call void %pointer()\n  ret void\n")));
  ListModule stored;
  stored.more = "  store ptr %node, ptr @outside\n";
  EXPECT_FALSE(keeps(stored));
}

TEST(ClosedMemory, FollowsResultsToCallsThatAreSeen) {
  auto returning = [](const std::string &use) {
    return looking("  ret ptr %pointer\n", "ptr",
                   "define i1 @user(ptr %other) {\n"
                   "  %p = call ptr @look(ptr %other)\n" +
                       use + "}\n");
  };
  EXPECT_TRUE(keeps(returning("  %is = icmp eq ptr %p, %other\n"
                              "  ret i1 %is\n")));
  EXPECT_FALSE(keeps(returning("  store ptr %p, ptr @outside\n"
                               "  ret i1 true\n")));
  ListModule list =
      looking("  ret ptr %pointer\n", "ptr", "@taken = global ptr @look\n");
  EXPECT_FALSE(keeps(list));
}

TEST(ClosedMemory, OtherModulesOpenVariables) {
  ListModule list;
  list.begin = "@list.first = linkonce_odr global ptr null\n";
  EXPECT_FALSE(keeps(list));
}

TEST(ClosedMemory, IntegersMayBePointersUnlessTheirTypesSayOtherwise) {
  auto reading = [](const std::string &load) {
    return looking("  %count = getelementptr i8, ptr %node, i64 16\n"
                   "  %bits = load i64, " +
                   load +
                   "\n"
                   "  store i64 %bits, ptr @number\n"
                   "  ret void\n");
  };
  EXPECT_TRUE(keeps(reading("ptr %count, !tbaa !0")));
  EXPECT_FALSE(keeps(reading("ptr %count, !tbaa !4"))); // char
  EXPECT_FALSE(keeps(reading("ptr %count")));
  // The first field of the list is declared as an integer, if types count.
  auto ofVariable = [](const std::string &tag) {
    ListModule list = looking("  %bits = load i64, ptr @list\n"
                              "  store i64 %bits, ptr @number\n"
                              "  %typed = load i64, ptr @number" +
                              tag + "\n  ret void\n");
    list.link = "  store ptr %node, ptr getelementptr (i8, ptr @list, i64 8)\n";
    return list;
  };
  EXPECT_TRUE(keeps(ofVariable(", !tbaa !0")));
  EXPECT_FALSE(keeps(ofVariable("")));
}

TEST(ClosedMemory, HashesAreNoPointers) {
  auto hashing = [](const std::string &mix) {
    return looking("  %bits = ptrtoint ptr %pointer to i64\n" + mix +
                   "  store i64 %hash, ptr @number\n  ret void\n");
  };
  EXPECT_TRUE(keeps(hashing("  %half = lshr i64 %bits, 32\n"
                            "  %sum = xor i64 %bits, %half\n"
                            "  %hash = mul i64 %sum, 1051668233026429277\n")));
  EXPECT_TRUE(keeps(hashing("  %hash = urem i64 %bits, 1031\n")));
  EXPECT_FALSE(keeps(hashing("  %hash = lshr i64 %bits, 32\n")));
  EXPECT_FALSE(keeps(hashing("  %hash = xor i64 %bits, 1\n")));
}

TEST(ClosedMemory, NodesThatTheLibraryLinksAreOfOneTree) {
  ListModule tree;
  tree.link = "  call void "
              "@_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_"
              "RS_(i1 true, ptr %node, ptr null, ptr @list.first)\n";
  EXPECT_TRUE(keeps(tree));
  tree.look = "  call void @away(ptr %pointer)\n  ret i1 true\n";
  EXPECT_FALSE(keeps(tree));
  tree.look = ListModule().look;
  tree.begin = "@list.first = global ptr null\n";
  EXPECT_FALSE(keeps(tree));
}

} // namespace
