//===- AccessReportTest.cpp - Sectors of index expressions ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each test is a kernel that computes a 32-bit index `%i` and loads the 4-byte
// element `p[i]` of an aligned array.
//
//===----------------------------------------------------------------------===//

#include "ipa/access/AccessReport.h"

#include "lto/device/DeviceCodegen.h"
#include "lto/host/HostCodegen.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace gpulto;
using namespace llvm;

namespace {

const char *const kHead =
    "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-"
    "n16:32:64\"\n"
    "target triple = \"nvptx64-nvidia-cuda\"\n"
    "@s = internal addrspace(3) global [4096 x float] undef, align 16\n"
    "@table = internal addrspace(1) constant [32 x i32] [i32 0, i32 8, i32 16, "
    "i32 24, i32 32, i32 40, i32 48, i32 56, i32 64, i32 72, i32 80, i32 88, "
    "i32 96, i32 104, i32 112, i32 120, i32 128, i32 136, i32 144, i32 152, "
    "i32 160, i32 168, i32 176, i32 184, i32 192, i32 200, i32 208, i32 216, "
    "i32 224, i32 232, i32 240, i32 248], align 128\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n"
    "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)\n"
    "declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)\n"
    "declare i32 @llvm.nvvm.activemask()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"
    "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)\n"
    "declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)\n"
    "declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)\n"
    "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n"
    "declare i32 @llvm.smin.i32(i32, i32)\n"
    "declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), "
    "i64, i1)\n"
    "declare i32 @llvm.bitreverse.i32(i32)\n"
    "declare void @llvm.nvvm.cp.async.bulk.global.to.shared.cta(ptr "
    "addrspace(3), ptr addrspace(3), ptr addrspace(1), i32, i64, i1)\n"
    "declare void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr "
    "addrspace(1), ptr addrspace(3), i32, i64, i1)\n"
    // Loads q[2 * i].
    "define internal void @load(ptr addrspace(1) %q, i32 %i) noinline {\n"
    "  %j = shl nsw i32 %i, 1\n"
    "  %a = getelementptr float, ptr addrspace(1) %q, i32 %j\n"
    "  %v = load volatile float, ptr addrspace(1) %a\n"
    "  ret void\n"
    "}\n"
    "define internal void @again(ptr addrspace(1) %q, i32 %i) noinline {\n"
    "  %v = load volatile float, ptr addrspace(1) %q\n"
    "  call void @again(ptr addrspace(1) %q, i32 %i)\n"
    "  ret void\n"
    "}\n"
    "define internal i32 @twice(i32 %i) noinline {\n"
    "  %j = shl nsw i32 %i, 1\n"
    "  ret i32 %j\n"
    "}\n";

/// The rows of a kernel with the body \p body, in blocks of \p x by \p y by \p
/// z.
std::vector<MemoryRow> rowsOfBody(const std::string &body, uint32_t x,
                                  uint32_t y, uint32_t z = 1) {
  static bool isReady = (initializeTargets(), true);
  (void)isReady;
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString(
      kHead +
          ("define ptx_kernel void @k(ptr addrspace(1) align 256 %p, i32 %n, "
           "i32 range(i32 64, 100000) %m, ptr addrspace(1) align 256 %ptr, i1 "
           "%flag) {\n" +
           body + "}\n"),
      problem, context);
  if (!module) {
    ADD_FAILURE() << problem.getMessage().str() << '\n' << body;
    return {};
  }
  EXPECT_FALSE(verifyModule(*module, &errs())) << body;
  auto machine = cantFail(createDeviceMachine(*module, "sm_90", 2));
  KernelLaunches launches;
  launches.parameters = {"p", "n", "m", "q"};
  launches.shapes.emplace_back();
  launches.shapes.back().block = {x, y, z};
  return reportAccesses(*module->getFunction("k"), launches,
                        machine->getTargetIRAnalysis());
}

/// What an index costs: sectors of a warp on average, "4" or "4..5", what is
/// needed, and the verdict.
std::string textOf(const MemoryRow &row) {
  if (row.verdict == AccessVerdict::Irregular ||
      row.verdict == AccessVerdict::Unknown || row.requests == 0)
    return wordFor(row.verdict).str();
  auto each = [&](uint64_t all) {
    std::string text = std::to_string(all / row.requests);
    return all % row.requests
               ? text + "." +
                     std::to_string(all % row.requests * 100 / row.requests)
               : text;
  };
  std::string text = each(row.sectors.expected);
  if (row.sectors.least != row.sectors.most)
    text +=
        " (" + each(row.sectors.least) + ".." + each(row.sectors.most) + ")";
  return text + " of " + each(row.ideal) + " " + wordFor(row.verdict).str();
}

const char *const kPrologue =
    "  %x = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "  %y = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y()\n"
    "  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n";
const char *const kLoad =
    "  %w = sext i32 %i to i64\n"
    "  %a = getelementptr float, ptr addrspace(1) %p, i64 %w\n"
    "  %v = load volatile float, ptr addrspace(1) %a, align 4\n";

MemoryRow lastRow(const std::string &body, uint32_t x = 256, uint32_t y = 1,
                  uint32_t z = 1) {
  std::vector<MemoryRow> rows = rowsOfBody(body, x, y, z);
  EXPECT_FALSE(rows.empty()) << body;
  return rows.empty() ? MemoryRow() : rows.back();
}

/// Cost of p[i], where \p index computes %i.
std::string costOfIndex(const std::string &index, uint32_t x = 256,
                        uint32_t y = 1, uint32_t z = 1) {
  return textOf(lastRow(kPrologue + index + kLoad + std::string("  ret void\n"),
                        x, y, z));
}

TEST(AccessReport, SumsAndProducts) {
  EXPECT_EQ(costOfIndex("  %i = add nsw i32 %x, %n\n"),
            "4 (4..5) of 4 coalesced");
  EXPECT_EQ(costOfIndex("  %o = mul nsw i32 %b, 256\n"
                        "  %i = add nsw i32 %x, %o\n"),
            "4 of 4 coalesced");
  EXPECT_EQ(costOfIndex("  %o = mul nsw i32 %b, 256\n"
                        "  %i = sub nsw i32 %o, %x\n"),
            "5 of 4 misaligned");
  EXPECT_EQ(costOfIndex("  %i = mul nsw i32 %x, 2\n"), "8 of 4 strided");
  EXPECT_EQ(costOfIndex("  %i = shl nsw i32 %x, 3\n"), "32 of 4 strided");
  EXPECT_EQ(costOfIndex("  %i = add nsw i32 %n, 0\n"), "1 of 1 broadcast");
  // At least 64 elements lie between lanes; how many of %n, nobody knows.
  EXPECT_EQ(costOfIndex("  %i = mul nsw i32 %x, %m\n"), "32 of 4 strided");
  EXPECT_EQ(costOfIndex("  %i = mul nsw i32 %x, %n\n"),
            "32 (1..32) of 4 strided");
}

TEST(AccessReport, Products) {
  // Of numbers: 0, 1, 4, 9, and so on.
  EXPECT_EQ(costOfIndex("  %i = mul nsw i32 %x, %x\n", 32),
            "30 of 4 uncoalesced");
  // Of numbers that nobody knows, each the same in all lanes.
  EXPECT_EQ(costOfIndex("  %t = mul nsw i32 %n, %m\n"
                        "  %i = add nsw i32 %x, %t\n"),
            "4 (4..5) of 4 coalesced");
  // Zero, whatever the lanes have.
  EXPECT_EQ(costOfIndex("  %t = load i32, ptr addrspace(1) %ptr\n"
                        "  %u = mul i32 %t, 0\n  %i = add i32 %u, %x\n"),
            "4 of 4 coalesced");
}

TEST(AccessReport, SizesOfBlocksAndGrids) {
  // The block's size is known, the grid's is the same in all lanes. (Of blocks
  // of 36 it is 5.5 sectors of two warps.)
  EXPECT_EQ(costOfIndex("  %s = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
                        "  %o = mul nsw i32 %b, %s\n"
                        "  %i = add nsw i32 %x, %o\n"),
            "4 of 4 coalesced");
  EXPECT_EQ(costOfIndex("  %s = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
                        "  %o = mul nsw i32 %b, %s\n"
                        "  %i = add nsw i32 %x, %o\n",
                        36),
            "2.50 (2.50..3) of 2.50 misaligned");
  EXPECT_EQ(costOfIndex("  %s = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n"
                        "  %o = mul nsw i32 %s, 8\n"
                        "  %i = add nsw i32 %x, %o\n"),
            "4 of 4 coalesced");
}

TEST(AccessReport, ShapesOfBlocks) {
  const char *rowMajor = "  %o = mul nsw i32 %y, %m\n"
                         "  %i = add nsw i32 %x, %o\n";
  EXPECT_EQ(costOfIndex(rowMajor, 32, 8), "4 (4..5) of 4 coalesced");
  EXPECT_EQ(costOfIndex(rowMajor, 16, 16), "4 (4..6) of 4 coalesced");
  EXPECT_EQ(costOfIndex(rowMajor, 8, 8), "4 (4..8) of 4 coalesced");
  const char *columnMajor = "  %o = mul nsw i32 %x, %m\n"
                            "  %i = add nsw i32 %y, %o\n";
  EXPECT_EQ(costOfIndex(columnMajor, 32, 8), "32 of 4 strided");
  EXPECT_EQ(costOfIndex(columnMajor, 16, 16), "16 (16..24) of 4 uncoalesced");
  // The second index is the same in a warp.
  EXPECT_EQ(costOfIndex("  %i = mul nsw i32 %y, %m\n", 32, 8),
            "1 of 1 broadcast");
  // 40 threads: a warp of 32 and one of 8.
  EXPECT_EQ(costOfIndex("  %i = add nsw i32 %x, 0\n", 40),
            "2.50 of 2.50 coalesced");
}

TEST(AccessReport, BlocksOfThreeDimensions) {
  const std::string z = "  %z = call range(i32 0, 64) i32 "
                        "@llvm.nvvm.read.ptx.sreg.tid.z()\n";
  // A warp is a layer of 4 by 4 and the next, or one of 8 by 4.
  const std::string layers = z + "  %i = mul nsw i32 %z, %m\n";
  EXPECT_EQ(costOfIndex(layers, 4, 4, 4), "2 of 1 uncoalesced");
  EXPECT_EQ(costOfIndex(layers, 8, 4, 4), "1 of 1 broadcast");
  // 2 by 2 by 8: each lane has a layer of four to itself.
  const std::string rows = z + "  %t = shl nsw i32 %y, 1\n"
                               "  %r = add nsw i32 %x, %t\n"
                               "  %l = shl nsw i32 %z, 4\n"
                               "  %i = add nsw i32 %r, %l\n";
  EXPECT_EQ(costOfIndex(rows, 2, 2, 8), "8 of 4 uncoalesced");
  // 3 by 5 by 3: a warp of 32, which ends in the third layer, and one of 13.
  const std::string thread = z + "  %t = mul nsw i32 %y, 3\n"
                                 "  %r = add nsw i32 %x, %t\n"
                                 "  %l = mul nsw i32 %z, 15\n"
                                 "  %i = add nsw i32 %r, %l\n";
  EXPECT_EQ(costOfIndex(thread, 3, 5, 3), "3 of 3 coalesced");
}

TEST(AccessReport, DivisionByNumbers) {
  EXPECT_EQ(costOfIndex("  %i = udiv i32 %x, 32\n"), "1 of 1 broadcast");
  EXPECT_EQ(costOfIndex("  %i = udiv i32 %x, 2\n"), "2 of 2 coalesced");
  EXPECT_EQ(costOfIndex("  %q = udiv i32 %x, 16\n"
                        "  %i = mul nsw i32 %q, 100\n"),
            "2 of 1 uncoalesced");
  // x / c * c + x % c is x.
  EXPECT_EQ(costOfIndex("  %q = udiv i32 %x, 24\n  %r = urem i32 %x, 24\n"
                        "  %t = mul i32 %q, 24\n  %i = add i32 %t, %r\n"),
            "4 of 4 coalesced");
  // Tiles of eight columns.
  EXPECT_EQ(costOfIndex("  %q = lshr i32 %x, 3\n  %r = and i32 %x, 7\n"
                        "  %t = mul i32 %q, 1024\n  %i = add i32 %t, %r\n"),
            "4 of 4 coalesced");
  // Where it starts, decides: one of four residues, or one that is known.
  EXPECT_EQ(costOfIndex("  %t = add nsw i32 %x, %n\n  %i = ashr i32 %t, 2\n"),
            "1 (1..2) of 1 coalesced");
  EXPECT_EQ(costOfIndex("  %o = mul nsw i32 %b, 256\n  %t = add i32 %x, %o\n"
                        "  %i = srem i32 %t, 64\n"),
            "4 of 4 coalesced");
  // Lanes may lie further apart than the divisor.
  const std::string apart = "  %c = icmp ult i32 %x, 16\n"
                            "  %u = add nuw nsw i32 %x, 768\n"
                            "  %s = select i1 %c, i32 %x, i32 %u\n"
                            "  %o = mul nuw nsw i32 %b, 1024\n"
                            "  %t = add nuw nsw i32 %s, %o\n"
                            "  %q = udiv i32 %t, 131\n";
  EXPECT_EQ(costOfIndex(apart + "  %i = mul nuw nsw i32 %q, 100\n", 32),
            "3 (2..4) of 1 uncoalesced");
  EXPECT_EQ(costOfIndex(apart + "  %r = urem i32 %t, 131\n"
                                "  %m1 = mul nuw nsw i32 %q, 131\n"
                                "  %i = add nuw nsw i32 %m1, %r\n",
                        32),
            "4 of 4 coalesced");
  EXPECT_EQ(costOfIndex("  %i = xor i32 %x, 1\n"), "4 of 4 coalesced");
  EXPECT_EQ(costOfIndex("  %t = shl i32 %x, 8\n  %i = or i32 %t, 5\n"),
            "32 of 4 strided");
}

TEST(AccessReport, DivisionByUnknownNumbers) {
  // The pair is remembered.
  EXPECT_EQ(costOfIndex("  %q = udiv i32 %x, %m\n  %r = urem i32 %x, %m\n"
                        "  %t = mul i32 %q, %m\n  %i = add i32 %t, %r\n"),
            "4 of 4 coalesced");
  // Columns of a matrix, whose rows may end within a warp.
  EXPECT_EQ(
      costOfIndex("  %q = udiv i32 %x, %m\n  %r = urem i32 %x, %m\n"
                  "  %t = mul nsw i32 %r, 1000\n  %i = add nsw i32 %t, %q\n")
          .substr(0, 2),
      "32");
  // An index that goes on from one row to the next: rows begin anywhere.
  const std::string flat = "  %o = mul nuw nsw i32 %b, 256\n"
                           "  %t = add nuw nsw i32 %x, %o\n";
  EXPECT_EQ(costOfIndex(flat + "  %i = urem i32 %t, %m\n").substr(0, 4),
            "4.87");
  // Not those that blocks are divided into, nor of a power of two.
  EXPECT_EQ(costOfIndex("  %q = udiv i32 %b, %m\n  %o = mul i32 %q, %m\n"
                        "  %i = add nsw i32 %x, %o\n")
                .substr(0, 2),
            "4 ");
  EXPECT_EQ(costOfIndex(flat + "  %f = sub nsw i32 %m, 1\n"
                               "  %i = and i32 %t, %f\n")
                .substr(0, 2),
            "4 ");
}

TEST(AccessReport, PartsOfRows) {
  // A half of an unknown number of elements is one of 16: half a line.
  auto linesOf = [](const std::string &index) {
    MemoryRow row =
        lastRow(kPrologue + index + kLoad + std::string("  ret void\n"));
    return static_cast<double>(row.lines) / static_cast<double>(row.requests);
  };
  EXPECT_EQ(linesOf("  %i = add nsw i32 %x, %m\n"), 1);
  EXPECT_EQ(linesOf("  %h = lshr i32 %m, 1\n  %i = add nsw i32 %x, %h\n"), 1.5);
}

TEST(AccessReport, ComparisonsByGroups) {
  // Of some lanes the answer is known; that of the others they share.
  EXPECT_EQ(costOfIndex("  %c = icmp ult i32 %x, 16\n"
                        "  %u = select i1 %c, i32 %n, i32 0\n"
                        "  %e = icmp eq i32 %u, %m\n"
                        "  %t = mul nuw nsw i32 %x, 8\n"
                        "  %i = select i1 %e, i32 %t, i32 %x\n",
                        32),
            "4 (4..16) of 4 coalesced");
}

TEST(AccessReport, Selections) {
  // Where lanes are told apart by numbers, each is known.
  EXPECT_EQ(costOfIndex("  %c = icmp ult i32 %x, 16\n"
                        "  %i = select i1 %c, i32 %x, i32 1000\n",
                        32),
            "3 of 3 coalesced");
  EXPECT_EQ(costOfIndex("  %i = call i32 @llvm.smin.i32(i32 %x, i32 7)\n", 32),
            "1 of 1 coalesced");
  // One of two for all lanes.
  EXPECT_EQ(costOfIndex("  %t = mul nsw i32 %x, 2\n"
                        "  %i = select i1 %flag, i32 %x, i32 %t\n"),
            "4 (4..8) of 4 coalesced");
  // A bound of which nothing is known: some lanes are beyond.
  EXPECT_EQ(costOfIndex("  %i = call i32 @llvm.smin.i32(i32 %x, i32 %m)\n"),
            "4 (1.75..4.75) of 4 coalesced");
}

TEST(AccessReport, Conversions) {
  // Without a promise that it does not wrap, it may.
  EXPECT_EQ(textOf(lastRow(std::string(kPrologue) +
                           "  %t = add i32 %x, %n\n"
                           "  %w = zext i32 %t to i64\n"
                           "  %a = getelementptr float, ptr addrspace(1) %p, "
                           "i64 %w\n"
                           "  %v = load volatile float, ptr addrspace(1) %a\n"
                           "  ret void\n")),
            "4 (4..6) of 4 coalesced");
  EXPECT_EQ(costOfIndex("  %t = trunc i32 %x to i8\n"
                        "  %i = zext i8 %t to i32\n"),
            "4 of 4 coalesced");
  // __mul24.
  EXPECT_EQ(costOfIndex("  %t = shl i32 %x, 8\n  %u = ashr i32 %t, 8\n"
                        "  %i = mul nsw i32 %u, 3\n"),
            "12 of 4 strided");
  // A condition that is fulfilled is minus one, or one: the second warp loads
  // p[16], and p[15] or p[17].
  const std::string condition = "  %c = icmp ugt i32 %x, 47\n";
  EXPECT_EQ(costOfIndex(condition + "  %s = sext i1 %c to i32\n"
                                    "  %i = add nsw i32 %s, 16\n",
                        64),
            "1.50 of 1 misaligned");
  EXPECT_EQ(costOfIndex(condition + "  %s = zext i1 %c to i32\n"
                                    "  %i = add nsw i32 %s, 16\n",
                        64),
            "1 of 1 coalesced");
}

TEST(AccessReport, Lanes) {
  EXPECT_EQ(costOfIndex("  %i = call i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"),
            "4 of 4 coalesced");
  EXPECT_EQ(
      costOfIndex("  %i = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 "
                  "%x, i32 5, i32 31)\n"),
      "4 of 4 coalesced");
  EXPECT_EQ(
      costOfIndex("  %i = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 "
                  "%x, i32 0, i32 31)\n"),
      "1 of 1 broadcast");
  // Lanes without a partner keep their own.
  EXPECT_EQ(
      costOfIndex("  %t = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 "
                  "%x, i32 16, i32 31)\n  %i = mul nsw i32 %t, 8\n",
                  32),
      "16 of 2 uncoalesced");
  EXPECT_EQ(
      costOfIndex("  %t = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 "
                  "%x, i32 8, i32 0)\n  %i = mul nsw i32 %t, 8\n",
                  32),
      "24 of 3 uncoalesced");
  EXPECT_EQ(costOfIndex("  %i = call i32 @llvm.bitreverse.i32(i32 %x)\n", 32),
            "32 of 4 uncoalesced");
}

TEST(AccessReport, Votes) {
  auto ballot = [](const std::string &condition) {
    return costOfIndex(condition + "  %i = call i32 @llvm.nvvm.vote.ballot.sync"
                                   "(i32 -1, i1 %c)\n");
  };
  EXPECT_EQ(ballot("  %c = icmp ult i32 %x, 7\n"), "1 of 1 broadcast");
  // Data decides, if it does what they vote.
  EXPECT_EQ(ballot("  %u = zext i32 %x to i64\n"
                   "  %d = getelementptr i32, ptr addrspace(1) %ptr, i64 %u\n"
                   "  %e = load i32, ptr addrspace(1) %d\n"
                   "  %c = icmp eq i32 %e, 0\n"),
            "irregular");
  EXPECT_EQ(costOfIndex("  %i = call i32 @llvm.nvvm.activemask()\n"),
            "1 of 1 broadcast");
  EXPECT_EQ(costOfIndex("  %i = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, "
                        "i32 %n)\n"),
            "1 of 1 broadcast");
  // Lanes of the same value have the same.
  EXPECT_EQ(costOfIndex("  %i = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, "
                        "i32 %x)\n"),
            "unknown");
  // Bits of the lanes before each.
  EXPECT_EQ(costOfIndex("  %t = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()"
                        "\n  %i = and i32 %t, 255\n"),
            "6 of 2 uncoalesced");
}

TEST(AccessReport, Loads) {
  const char *loaded =
      "  %u = zext i32 %x to i64\n"
      "  %c = getelementptr i32, ptr addrspace(1) %ptr, i64 %u\n"
      "  %i = load i32, ptr addrspace(1) %c\n";
  EXPECT_EQ(costOfIndex(loaded), "irregular");
  const std::string same = "  %t = load i32, ptr addrspace(1) %ptr\n";
  EXPECT_EQ(costOfIndex(same + "  %i = add i32 %t, 0\n"), "1 of 1 broadcast");
  // Where memory says that a row begins, is any number, unless the program
  // rounds it; what is multiplied by it, a number of rows.
  EXPECT_EQ(costOfIndex(same + "  %i = add nsw i32 %t, %x\n"),
            "4.87 (4..5) of 4 misaligned");
  EXPECT_EQ(costOfIndex(same + "  %r = and i32 %t, -32\n"
                               "  %i = add nsw i32 %r, %x\n")
                .substr(0, 2),
            "4 ");
  EXPECT_EQ(costOfIndex(same + "  %r = mul nsw i32 %t, %n\n"
                               "  %i = add nsw i32 %r, %x\n"),
            "4 (4..5) of 4 coalesced");
  const char *constants =
      "  %u = zext i32 %x to i64\n"
      "  %c = getelementptr i32, ptr addrspace(1) @table, i64 %u\n"
      "  %i = load i32, ptr addrspace(1) %c\n";
  EXPECT_EQ(costOfIndex(constants, 32), "32 of 4 strided");
  const char *atomic = "  %i = atomicrmw add ptr addrspace(1) %ptr, i32 1 "
                       "monotonic\n";
  EXPECT_EQ(costOfIndex(atomic), "irregular");
}

/// The last row of a kernel that loads p[i] where \p condition holds.
std::string costUnder(const std::string &condition, uint32_t x = 256) {
  return textOf(lastRow(kPrologue + condition +
                            "  br i1 %c, label %then, label %end\n"
                            "then:\n  %i = mul nsw i32 %x, 8\n" +
                            kLoad + "  br label %end\nend:\n  ret void\n",
                        x));
}

TEST(AccessReport, ActiveLanes) {
  EXPECT_EQ(costUnder("  %c = icmp eq i32 %x, 0\n"), "1 of 1 broadcast");
  EXPECT_EQ(costUnder("  %c = icmp ult i32 %x, 16\n"), "16 of 2 strided");
  // At most one lane.
  EXPECT_EQ(costUnder("  %c = icmp eq i32 %x, %n\n"), "1 of 1 broadcast");
  // The full warp is counted; tails are not blamed.
  EXPECT_EQ(costUnder("  %c = icmp slt i32 %x, %n\n"),
            "32 (1..32) of 4 strided");
  EXPECT_EQ(costUnder("  %t = and i32 %x, 1\n  %c = icmp eq i32 %t, 0\n"),
            "16 of 2 strided");
  // Never executed.
  EXPECT_EQ(lastRow(std::string(kPrologue) +
                    "  %c = icmp ugt i32 %x, 2000\n"
                    "  br i1 %c, label %then, label %end\n"
                    "then:\n  %v = load volatile float, ptr addrspace(1) %p\n"
                    "  br label %end\nend:\n  ret void\n")
                .requests,
            0u);
}

/// Cost of p[i] in a loop, and in \p after behind it.
std::string costInLoop(const std::string &start, const std::string &step,
                       const std::string &bound) {
  return textOf(lastRow(
      kPrologue + std::string("  br label %loop\nloop:\n  %i = phi i32 [ ") +
      start + ", %0 ], [ %next, %loop ]\n" + kLoad +
      "  %next = add nsw i32 %i, " + step + "\n  %c = icmp slt i32 %next, " +
      bound + "\n  br i1 %c, label %loop, label %end\nend:\n  ret void\n"));
}

TEST(AccessReport, Loops) {
  // Some lanes may have left.
  EXPECT_EQ(costInLoop("%x", "256", "%n"), "4 (1..32) of 4 coalesced");
  EXPECT_EQ(costInLoop("%x", "%m", "%n"), "4 (1..32) of 4 coalesced");
  EXPECT_EQ(costInLoop("0", "1", "%n"), "1 of 1 broadcast");
  // Steps that differ by lane: the first round is one address.
  EXPECT_EQ(costInLoop("0", "%x", "%n").substr(0, 10), "32 (1..32)");
}

TEST(AccessReport, ValuesThatLeaveLoops) {
  auto after = [](const std::string &bound, const std::string &before = "") {
    return textOf(
        lastRow(kPrologue + before +
                std::string("  br label %loop\nloop:\n"
                            "  %j = phi i32 [ 0, %0 ], [ %next, %loop ]\n"
                            "  %next = add nsw i32 %j, 1\n"
                            "  %c = icmp slt i32 %next, ") +
                bound + "\n  br i1 %c, label %loop, label %end\nend:\n" +
                "  %i = phi i32 [ %next, %loop ]\n" + kLoad + "  ret void\n"));
  };
  EXPECT_EQ(after("%n"), "1 of 1 broadcast");
  // However uniform it is inside; numbers say in which round each lane leaves.
  EXPECT_EQ(after("%x"), "4 of 4 coalesced");
  EXPECT_EQ(after("%s", "  %s = add nsw i32 %x, %n\n"), "unknown");
}

TEST(AccessReport, Joins) {
  auto joined = [](const std::string &condition) {
    return textOf(
        lastRow(kPrologue + condition +
                    "  br i1 %c, label %then, label %else\n"
                    "then:\n  %t = mul nsw i32 %x, 8\n  br label %end\n"
                    "else:\n  br label %end\n"
                    "end:\n  %i = phi i32 [ %t, %then ], [ %x, %else ]\n" +
                    kLoad + "  ret void\n",
                32));
  };
  EXPECT_EQ(joined("  %c = icmp ult i32 %x, 8\n"), "8 of 4 uncoalesced");
  EXPECT_EQ(joined("  %c = or i1 %flag, false\n"), "32 (4..32) of 4 strided");
  // One way has it by a premise, so that bounds say nothing.
  EXPECT_EQ(
      textOf(lastRow(
          kPrologue +
          std::string("  %z = icmp eq i32 %x, 0\n"
                      "  br i1 %z, label %end, label %loop\n"
                      "loop:\n  %j = phi i32 [ 0, %0 ], [ %next, %loop ]\n"
                      "  %l = load volatile i32, ptr addrspace(1) %ptr\n"
                      "  %next = add nsw i32 %j, %l\n"
                      "  %c = icmp slt i32 %next, %x\n"
                      "  br i1 %c, label %loop, label %left\n"
                      "left:\n  %two = icmp eq i32 %next, 2\n"
                      "  %t = select i1 %two, i32 %n, i32 %x\n"
                      "  br label %end\n"
                      "end:\n  %i = phi i32 [ %x, %0 ], [ %t, %left ]\n") +
          kLoad + "  ret void\n")),
      "4 (1..32) of 4 coalesced");
}

TEST(AccessReport, StartsOnAverage) {
  // Every other block begins in the middle of a sector.
  EXPECT_EQ(costOfIndex("  %o = mul nsw i32 %b, 36\n"
                        "  %i = add nsw i32 %x, %o\n"),
            "4.50 (4..5) of 4 misaligned");
  // A row of n elements is taken to begin with a sector.
  EXPECT_EQ(costOfIndex("  %o = mul nsw i32 %b, %n\n"
                        "  %i = add nsw i32 %x, %o\n"),
            "4 (4..5) of 4 coalesced");
  // Tiles that overlap by a border of unknown width: that is any number, since
  // no tile would be left of a row's.
  const std::string border =
      "  %d = mul nsw i32 %n, -2\n  %s = add nsw i32 %d, 256\n"
      "  %o = mul nsw i32 %b, %s\n";
  EXPECT_EQ(costOfIndex(border + "  %t = sub nsw i32 %o, %n\n"
                                 "  %i = add nsw i32 %x, %t\n"),
            "4.87 (4..5) of 4 misaligned");
  // With a gap between them, it is a part of a row.
  EXPECT_EQ(costOfIndex("  %d = mul nsw i32 %n, 2\n"
                        "  %s = add nsw i32 %d, 256\n"
                        "  %o = mul nsw i32 %b, %s\n"
                        "  %i = add nsw i32 %x, %o\n"),
            "4 (4..5) of 4 coalesced");
  // The mask is taken for one less than a power of two.
  EXPECT_EQ(costOfIndex("  %o = sub nsw i32 %m, 1\n"
                        "  %i = and i32 %x, %o\n"),
            "4 (1..32) of 4 coalesced");
}

TEST(AccessReport, Copies) {
  auto copied = [](const std::string &align) {
    std::vector<MemoryRow> rows =
        rowsOfBody(kPrologue +
                       std::string("  %w = zext i32 %x to i64\n"
                                   "  %a = getelementptr [24 x i8], ptr "
                                   "addrspace(1) %p, i64 %w\n"
                                   "  %d = getelementptr [24 x i8], ptr "
                                   "addrspace(1) %ptr, i64 %w\n"
                                   "  call void @llvm.memcpy.p1.p1.i64(ptr "
                                   "addrspace(1) align ") +
                       align + " %d, ptr addrspace(1) align " + align +
                       " %a, i64 24, i1 false)\n  ret void\n",
                   256, 1);
    std::string text = std::to_string(rows.size());
    for (const MemoryRow &row : rows)
      text += " " + wordFor(row.kind).str() + " " + textOf(row);
    return text;
  };
  // Each lane copies 24 bytes, by words of 8.
  EXPECT_EQ(copied("8"), "2 load 24 of 8 strided store 24 of 8 strided");
  EXPECT_EQ(copied("4"), "2 load 24 of 4 strided store 24 of 4 strided");
}

TEST(AccessReport, Callees) {
  auto cost = [](const std::string &body) {
    return textOf(lastRow(kPrologue + body + "  ret void\n"));
  };
  // What a callee loads is by what callers pass, in all its contexts.
  const std::string call = "  call void @load(ptr addrspace(1) %p, i32 ";
  EXPECT_EQ(cost(call + "%x)\n"), "8 of 4 strided");
  EXPECT_EQ(cost(call + "%b)\n"), "1 of 1 broadcast");
  EXPECT_EQ(cost(call + "%x)\n" + call + "%b)\n"),
            "4.50 (1..8) of 2.50 strided");
  // Only lane 0 of a warp calls.
  EXPECT_EQ(cost("  %lane = and i32 %x, 31\n"
                 "  %first = icmp eq i32 %lane, 0\n"
                 "  br i1 %first, label %then, label %end\n"
                 "then:\n" +
                 call + "%x)\n  br label %end\nend:\n"),
            "1 of 1 broadcast");
  EXPECT_EQ(cost("  %i = call i32 @twice(i32 %x)\n" + std::string(kLoad)),
            "8 of 4 strided");
  EXPECT_EQ(cost("  call void @again(ptr addrspace(1) %p, i32 %x)\n"),
            "unknown");
}

TEST(AccessReport, SharedMemory) {
  auto shared = [](const std::string &index) {
    return textOf(
        lastRow(kPrologue + index +
                    "  %a = getelementptr float, ptr addrspace(3) @s, "
                    "i32 %i\n"
                    "  %v = load volatile float, ptr addrspace(3) %a\n"
                    "  ret void\n",
                32, 8));
  };
  EXPECT_EQ(shared("  %i = add nsw i32 %x, 0\n"), "0 of 0 coalesced");
  EXPECT_EQ(shared("  %t = mul nsw i32 %x, 32\n  %i = add nsw i32 %t, %y\n"),
            "31 of 0 conflict");
  EXPECT_EQ(shared("  %t = mul nsw i32 %x, 33\n  %i = add nsw i32 %t, %y\n"),
            "0 of 0 coalesced");
  EXPECT_EQ(shared("  %i = mul nsw i32 %x, 2\n"), "1 of 0 conflict");
  EXPECT_EQ(shared("  %i = add nsw i32 %y, 0\n"), "0 of 0 broadcast");
}

TEST(AccessReport, InlineAssembly) {
  EXPECT_EQ(textOf(lastRow(std::string(kPrologue) +
                           "  %i = mul nsw i32 %x, 8\n"
                           "  %w = sext i32 %i to i64\n"
                           "  %a = getelementptr float, ptr addrspace(1) %p, "
                           "i64 %w\n"
                           "  %v = call float asm sideeffect "
                           "\"ld.global.nc.f32 $0, [$1];\", \"=f,l\"(ptr "
                           "addrspace(1) %a)\n"
                           "  ret void\n")),
            "32 of 4 strided");
}

TEST(AccessReport, AssemblyOfCopiesAndMatrices) {
  auto assembly = [](const std::string &text, const std::string &index) {
    std::vector<MemoryRow> rows =
        rowsOfBody(kPrologue + index +
                       "  %a = getelementptr i8, ptr addrspace(3) @s, i32 %i\n"
                       "  %c = ptrtoint ptr addrspace(3) %a to i32\n"
                       "  %g = getelementptr i8, ptr addrspace(1) %p, i32 %i\n"
                       "  call void asm sideeffect \"" +
                       text +
                       "\", \"r,l,n\"(i32 %c, ptr addrspace(1) %g, i32 "
                       "16)\n  ret void\n",
                   32, 1);
    std::string result;
    for (const MemoryRow &row : rows)
      result += wordFor(row.space).str() + " " + wordFor(row.kind).str() + " " +
                textOf(row) + "; ";
    return result;
  };
  const std::string rows = "  %i = shl nsw i32 %x, 4\n",
                    columns = "  %i = shl nsw i32 %x, 7\n";
  EXPECT_EQ(assembly("cp.async.cg.shared.global [$0], [$1], 16;", rows),
            "shared store 0 of 0 coalesced; global load 16 of 16 coalesced; ");
  EXPECT_EQ(assembly("cp.async.ca.shared.global [$0], [$1], $2;", columns),
            "shared store 28 of 0 conflict; global load 32 of 16 strided; ");
  // Of a predicate nothing is known.
  EXPECT_EQ(
      assembly("{ .reg .pred p; setp.ne.b32 p, $0, 0; @p "
               "cp.async.cg.shared.global [$0], [$1], 16; }",
               columns),
      "shared store 28 (0..31) of 0 conflict; global load 32 (1..32) of 16 "
      "strided; ");
  // Each turn is a matrix of eight rows; the other lanes' addresses are not
  // used.
  EXPECT_EQ(assembly("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {a, b, c, d}, "
                     "[$0];",
                     columns),
            "shared load 28 of 0 conflict; ");
  EXPECT_EQ(assembly("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {a}, [$0+16];",
                     columns),
            "shared load 7 of 0 conflict; ");
  EXPECT_EQ(assembly("bar.sync 0;", rows), "");
}

TEST(AccessReport, BulkCopies) {
  auto bulk = [](const std::string &call) {
    std::vector<MemoryRow> rows = rowsOfBody(
        kPrologue +
            std::string("  %first = icmp eq i32 %x, 0\n"
                        "  br i1 %first, label %then, label %end\n"
                        "then:\n  call void @llvm.nvvm.cp.async.bulk.") +
            call + ", i64 0, i1 false)\n  br label %end\nend:\n  ret void\n",
        256, 1);
    std::string result;
    for (const MemoryRow &row : rows)
      result += wordFor(row.space).str() + " " + wordFor(row.kind).str() + " " +
                textOf(row) + "; ";
    return result;
  };
  const std::string load = "global.to.shared.cta(ptr addrspace(3) @s, ptr "
                           "addrspace(3) @s, ptr addrspace(1) %p, i32 ",
                    store = "shared.cta.to.global(ptr addrspace(1) %p, ptr "
                            "addrspace(3) @s, i32 ";
  EXPECT_EQ(bulk(load + "1024"), "global load 32 of 32 broadcast; ");
  EXPECT_EQ(bulk(store + "512"), "global store 16 of 16 broadcast; ");
  // Of one whose size is not known, nothing is said.
  EXPECT_EQ(bulk(load + "%n"), "");
}

TEST(AccessReport, LocalArrays) {
  auto local = [](const std::string &index) {
    std::vector<MemoryRow> rows = rowsOfBody(
        kPrologue + std::string("  %v = alloca [32 x float], align 4\n") +
            index +
            "  %w = zext i32 %i to i64\n"
            "  %a = getelementptr float, ptr %v, i64 %w\n"
            "  store volatile float 0.0, ptr %a, align 4\n"
            "  ret void\n",
        32, 1);
    return rows.empty() ? "none" : textOf(rows.back());
  };
  // The words of all lanes lie side by side.
  EXPECT_EQ(local("  %i = and i32 %n, 31\n"), "4 of 4 coalesced");
  EXPECT_EQ(local("  %i = and i32 %x, 31\n"), "32 of 4 strided");
}

TEST(AccessReport, BranchesInLoops) {
  auto branch = [](const std::string &condition) {
    std::string work;
    for (unsigned i = 0; i < 8; ++i)
      work += "  store volatile i32 0, ptr addrspace(3) @s\n";
    std::vector<MemoryRow> rows = rowsOfBody(
        kPrologue +
            std::string("  br label %loop\nloop:\n"
                        "  %j = phi i32 [ 0, %0 ], [ %next, %end ]\n") +
            condition + "  br i1 %c, label %then, label %end\nthen:\n" + work +
            "  br label %end\nend:\n  %next = add nsw i32 %j, 1\n"
            "  %d = icmp slt i32 %next, %n\n"
            "  br i1 %d, label %loop, label %out\nout:\n  ret void\n",
        64, 1);
    for (const MemoryRow &row : rows)
      if (row.kind == AccessKind::Branch)
        return row.reason;
    return std::string("none");
  };
  EXPECT_EQ(branch("  %o = and i32 %x, 1\n  %c = icmp eq i32 %o, 0\n"),
            "16 lanes of a warp go one way in a loop, 16 the other");
  // Whole warps, one lane, and borders.
  EXPECT_EQ(branch("  %c = icmp ult i32 %x, 32\n"), "none");
  EXPECT_EQ(branch("  %c = icmp eq i32 %x, 0\n"), "none");
  EXPECT_EQ(branch("  %c = icmp slt i32 %x, %n\n"), "none");
}

TEST(AccessReport, ExchangedAxes) {
  // x strides, y is contiguous.
  MemoryRow row = lastRow(kPrologue +
                              std::string("  %t = mul nsw i32 %x, %m\n"
                                          "  %i = add nsw i32 %t, %y\n") +
                              kLoad + "  ret void\n",
                          32, 32);
  EXPECT_EQ(textOf(row), "32 of 4 strided");
  EXPECT_EQ(row.swapped, 4. * row.requests);
  EXPECT_NE(row.advice.find("exchange x and y of the kernel"),
            std::string::npos)
      << row.advice;
  // Nothing to gain, so that it is not tried.
  row = lastRow(kPrologue +
                    std::string("  %t = mul nsw i32 %y, %m\n"
                                "  %i = add nsw i32 %t, %x\n") +
                    kLoad + "  ret void\n",
                32, 32);
  EXPECT_EQ(row.swapped, 0);
  EXPECT_EQ(row.advice, "");
  // Whose sum a shuffle makes, would change.
  const char *shuffle =
      "  %e = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %n, i32 1, "
      "i32 31)\n  store volatile i32 %e, ptr addrspace(1) %ptr\n";
  EXPECT_EQ(lastRow(kPrologue + std::string(shuffle) +
                        "  %t = mul nsw i32 %x, %m\n"
                        "  %i = add nsw i32 %t, %y\n" +
                        kLoad + "  ret void\n",
                    32, 32)
                .swapped,
            0);
  // Blocks of a warp are one warp either way; one dimension has no other.
  EXPECT_EQ(lastRow(kPrologue + std::string("  %i = mul nsw i32 %x, %m\n") +
                        kLoad + "  ret void\n",
                    64, 1)
                .swapped,
            0);
}

TEST(AccessReport, Words) {
  MemoryRow row =
      lastRow(kPrologue + std::string("  %i = mul nsw i32 %x, %m\n") + kLoad +
              "  ret void\n");
  EXPECT_EQ(row.base, "'p'");
  EXPECT_EQ(row.reason, "4 * 'm' bytes between threads");
  EXPECT_TRUE(row.isAlarm);
  EXPECT_FALSE(row.advice.empty());
}

TEST(AccessReport, WordsOfStarts) {
  // A neighbor in a stencil.
  MemoryRow row =
      lastRow(kPrologue + std::string("  %i = add nsw i32 %x, -1\n") + kLoad +
              "  ret void\n");
  EXPECT_EQ(textOf(row), "5 of 4 misaligned");
  EXPECT_EQ(row.reason,
            "it begins 28 bytes behind the start of a sector of 32 bytes");
  EXPECT_NE(row.advice.find("shared memory"), std::string::npos) << row.advice;
  // Rows of a length that is no multiple of a sector.
  row = lastRow(kPrologue +
                std::string("  %r = mul nsw i32 %b, 33\n"
                            "  %i = add nsw i32 %r, %x\n") +
                kLoad + "  ret void\n");
  EXPECT_EQ(row.reason, "it does not begin with a sector of 32 bytes");
  EXPECT_NE(row.advice.find("cudaMallocPitch"), std::string::npos)
      << row.advice;
}

} // namespace
