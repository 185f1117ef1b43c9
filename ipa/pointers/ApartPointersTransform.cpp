//===- ApartPointersTransform.cpp - Accesses through pointers, in LTRANS --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// No attribute can hold facts about a pointer that a kernel loads from a
// by-value aggregate. Its accesses carry them:
//
//   load float, ptr %in.at, !alias.scope {in}, !noalias {out}, !invariant.load
//   store float %b, ptr %out.at, !alias.scope {out}, !noalias {in}
//
// Callees of the kernel have accesses, too, so this is repeated whenever they
// may have been inlined; until then, the kernel's attributes have the pairs,
// and the pointers to memory that nothing writes. Scopes are named by kernel
// and pointer, so repetition does not duplicate them. They hold for the whole
// kernel: each iteration of a loop, and each thread, sees the same allocations.
//
// Accesses through one of several pointers (phi, select) are left alone.
//
//===----------------------------------------------------------------------===//

#include "ipa/pointers/ApartPointersTransform.h"

#include "ipa/bodies/PointerAccesses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

/// Function attributes of kernels: pairs of pointers that are apart, and
/// pointers to memory that nothing writes. A pointer is "2", the parameter, or
/// "2@8", at byte 8 of it; a pair "2@8-3".
static constexpr StringLiteral kApart = "gpulto-apart",
                               kUnwritten = "gpulto-unwritten";

static std::string textOf(const PointerSource &source) {
  return std::to_string(source.parameter) +
         (source.isPart ? "@" + std::to_string(source.byteOffset) : "");
}

static std::optional<PointerSource> sourceOf(StringRef text) {
  auto [parameter, offset] = text.split('@');
  PointerSource source;
  source.isPart = text.contains('@');
  if (parameter.getAsInteger(10, source.parameter) ||
      (source.isPart && offset.getAsInteger(10, source.byteOffset)))
    return std::nullopt;
  return source;
}

bool noteApart(Function &kernel, ArrayRef<ApartPair> pairs) {
  if (pairs.empty())
    return false;
  auto text = map_range(pairs, [](const ApartPair &pair) {
    return textOf(pair.first) + "-" + textOf(pair.second);
  });
  kernel.addFnAttr(kApart, join(text, ","));
  return true;
}

bool noteUnwritten(Function &kernel, ArrayRef<PointerSource> pointers) {
  if (pointers.empty())
    return false;
  kernel.addFnAttr(kUnwritten, join(map_range(pointers, textOf), ","));
  return true;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Calls \p visit for all accesses at offsets from \p pointer that are not
/// volatile: what these wait for may be in any memory.
static void forEachAccess(Value &pointer,
                          function_ref<void(Instruction &)> visit) {
  for (Use &use : pointer.uses()) {
    auto *user = dyn_cast<Instruction>(use.getUser());
    if (!user)
      continue;
    bool isPointer = use.getOperandNo() == 0;
    bool isAccess =
        isa<LoadInst>(user) ||
        (isa<StoreInst>(user) &&
         use.getOperandNo() == StoreInst::getPointerOperandIndex()) ||
        (isa<AtomicRMWInst, AtomicCmpXchgInst>(user) && isPointer);
    if (isAccess && !user->isVolatile())
      visit(*user);
    else if (isa<AddrSpaceCastInst, BitCastInst>(user) ||
             (isa<GetElementPtrInst>(user) && isPointer))
      forEachAccess(*user, visit);
  }
}

static void forEachAccess(Function &kernel, const PointerSource &source,
                          function_ref<void(Instruction &)> visit) {
  if (auto values = valuesOf(kernel, source))
    for (Value *value : *values)
      forEachAccess(*value, visit);
}

/// Adds \p scope to the list of kind \p kind of \p access. Returns whether it
/// was not there.
static bool addScope(Instruction &access, unsigned kind, MDNode *scope) {
  MDNode *old = access.getMetadata(kind);
  MDNode *added =
      MDNode::concatenate(old, MDNode::get(access.getContext(), {scope}));
  access.setMetadata(kind, added);
  return added != old;
}

/// Returns the scope of the memory of \p source in \p kernel.
static MDNode *scopeOf(const Function &kernel, const PointerSource &source) {
  LLVMContext &context = kernel.getContext();
  auto text = [&](const Twine &name) {
    return MDString::get(context, name.str());
  };
  MDNode *domain = MDNode::get(context, {text("gpulto.apart")});
  return MDNode::get(context,
                     {text(kernel.getName() + " " + textOf(source)), domain});
}

static bool markApart(Function &kernel, StringRef pair) {
  auto [first, second] = pair.split('-');
  std::optional<PointerSource> a = sourceOf(first), b = sourceOf(second);
  if (!a || !b)
    return false;
  bool changed = false;
  auto mark = [&](const PointerSource &own, const PointerSource &other) {
    MDNode *scope = scopeOf(kernel, own), *apart = scopeOf(kernel, other);
    forEachAccess(kernel, own, [&](Instruction &access) {
      changed |= addScope(access, LLVMContext::MD_alias_scope, scope);
      changed |= addScope(access, LLVMContext::MD_noalias, apart);
    });
  };
  mark(*a, *b);
  mark(*b, *a);
  return changed;
}

static bool markUnwritten(Function &kernel, StringRef text) {
  std::optional<PointerSource> source = sourceOf(text);
  bool changed = false;
  if (source)
    forEachAccess(kernel, *source, [&](Instruction &access) {
      auto *load = dyn_cast<LoadInst>(&access);
      if (!load || !load->isSimple() ||
          load->hasMetadata(LLVMContext::MD_invariant_load))
        return;
      load->setMetadata(LLVMContext::MD_invariant_load,
                        MDNode::get(load->getContext(), {}));
      changed = true;
    });
  return changed;
}

bool markPointerAccesses(Function &kernel) {
  bool changed = false;
  auto forEach = [&](StringRef attribute, function_ref<void(StringRef)> visit) {
    SmallVector<StringRef, 8> list;
    kernel.getFnAttribute(attribute).getValueAsString().split(
        list, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for_each(list, visit);
  };
  forEach(kApart, [&](StringRef pair) { changed |= markApart(kernel, pair); });
  forEach(kUnwritten, [&](StringRef pointer) {
    changed |= markUnwritten(kernel, pointer);
  });
  return changed;
}

} // namespace gpulto
