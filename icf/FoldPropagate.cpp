//===- FoldPropagate.cpp - What does the same, by summaries (WPA)
//----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: keep one of all bodies that do the same.
//
//   kernel<int>      -> fill<int>       \  one kernel, one function:
//   kernel<unsigned> -> fill<unsigned>  /  the forms are equal, and so are
//                                          the symbols in them, once folded
//
// 1. collect: bodies that may be removed, or become a jump, if another does the
//    same, and constants with equal contents (FoldRolesPropagate.cpp). Two of
//    them can only be equal if their forms are (FunctionSummary::foldHash).
// 2. startClasses: initially all bodies of one form are one class, which lets
//    recursive functions fold. Most bodies have a unique form and need no
//    further work.
// 3. refine: a body leaves its class if a symbol of its form is in another
//    class than the others' symbol at that place. Only bodies that refer to
//    moved ones are examined again, and the largest part of a class keeps its
//    number: O(n log n) for n references.
// 4. choose leaders: for functions one that stays anyway, or else the first;
//    for kernels the one whose stub comes first.
//
// A function that keeps its own address equals no other in forms that name it,
// although its body may be shared.
//
// A kernel folds with its stub: its launches become launches of the leader, so
// a class of kernels needs a class of stubs, the same in every image, and
// handles that are only launched. With --gpulto-icf-kernels=register, stubs
// that do not fold are registered for the leader, and kernels fold only with
// their counterparts in other images. Block-shared memory belongs to the only
// body that uses it; no two such bodies in one kernel fold, since the kernel
// would have one variable in place of two. Queries of attributes and occupancy
// give equal answers for equal code; code that sets an attribute, or asks for
// the name, keeps the kernel.
//
//===----------------------------------------------------------------------===//

#include "icf/Fold.h"
#include "icf/FoldRoles.h"
#include "summary/CombinedModule.h"
#include "summary/Remarks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace llvm;

namespace gpulto {

namespace {

constexpr uint8_t kSharedAddressSpace = 3;

/// Index of a body that may be folded.
using Element = uint32_t;
using ClassNumber = uint32_t;

/// What stands at one place of a form: kind in the high half.
using Token = uint64_t;
enum TokenKind : uint64_t {
  kClassToken,
  /// A definition that is not an element, by its GlobalId.
  kDefinitionToken,
  /// A name that nobody defines, by number.
  kNameToken,
  /// Block-shared memory of the body: alignment above size.
  kOwnMemoryToken,
};
Token makeToken(TokenKind kind, uint64_t value) {
  constexpr unsigned kKindShift = 60;
  return static_cast<uint64_t>(kind) << kKindShift | value;
}

class Folder {
public:
  Folder(const WpaContext &context, const Callers &callers,
         const FoldOptions &options)
      : context(context), program(context.program), options(options),
        callers(callers), elementOf(program.symbolCount(), kNone),
        sharedUser(program.symbolCount(), kNone),
        kernelOf(program.symbolCount(), kNone) {}

  std::vector<FoldClass> run() {
    findSharedUsers();
    findKernels();
    collect();
    startClasses();
    connect();
    refine();
    return makeClasses();
  }

private:
  bool isLive(GlobalId id) const {
    return program.definition(id) == id && context.decisions.live.test(id);
  }
  void findSharedUsers();
  void findKernels();
  bool hasOwnMemory(GlobalId user, GlobalId variable) const;
  uint32_t numberInKernel(Element element);
  /// FoldForm, as the summary has it.
  struct Form {
    Digest hash;
    ArrayRef<SymbolIndex> symbols;
  };
  Form formOf(GlobalId id) const;
  FoldRole roleOf(Element element) const { return roles[elements[element]]; }
  void collect();
  struct Key;
  Key keyOf(Element element);
  void startClasses();
  void splitByKey(ArrayRef<Element> sameForm);
  void connect();
  ArrayRef<Element> partnersOf(Element element) const {
    auto found = partners.find(element);
    return found == partners.end() ? ArrayRef<Element>() : found->second;
  }
  Token tokenOf(GlobalId user, SymbolIndex symbol);
  std::vector<Token> signatureOf(Element element);
  void refine();
  void splitClass(ClassNumber number, ArrayRef<Element> changed);
  void moveTo(ClassNumber number, ArrayRef<Element> elements);
  FoldClass makeClass(ArrayRef<Element> members) const;
  std::vector<FoldClass> makeClasses() const;
  void explain(const FoldClass &fold) const;

  const WpaContext &context;
  const CombinedSummary &program;
  const FoldOptions &options;
  const Callers &callers;

  std::vector<GlobalId> elements; // ascending
  std::vector<FoldRole> roles;    // by GlobalId
  /// By GlobalId, or kNone.
  std::vector<Element> elementOf;
  /// Of a stub its kernels; of a kernel its stub or, where handles are
  /// registered, its counterparts in other images. Looked up only.
  DenseMap<Element, SmallVector<Element, 1>> partners;
  /// By element: the stub of a kernel, else the element itself.
  std::vector<Element> stubs;
  /// By element, if both have classes: those in whose signature it stands, and
  /// where they begin.
  std::vector<uint32_t> firstUser;
  std::vector<Element> users;

  /// By element; kNone: nothing has its form, so it is in none.
  std::vector<ClassNumber> classOf;
  std::vector<std::vector<Element>> classes; // members ascending
  /// Elements whose signature has changed.
  SetVector<Element> worklist;
  DenseMap<std::pair<ImageIndex, CachedHashStringRef>, uint32_t> undefined;

  /// By GlobalId of a variable in shared memory: the one body that uses it,
  /// or kNone; kNone - 1 when there are several.
  std::vector<GlobalId> sharedUser;
  /// By GlobalId of a device function: the one kernel that may run it, as
  /// above.
  std::vector<GlobalId> kernelOf;
  static constexpr GlobalId kSeveral = kNone - 1;
  /// How many bodies of a form with shared memory of their own a kernel runs.
  std::map<std::pair<GlobalId, Digest>, uint32_t> bodiesInKernel;
};

} // namespace

//===----------------------------------------------------------------------===//
// Bodies that may fold
//===----------------------------------------------------------------------===//

void Folder::findSharedUsers() {
  auto note = [&](GlobalId user, GlobalId variable) {
    if (program.symbol(variable).addressSpace != kSharedAddressSpace)
      return;
    GlobalId &known = sharedUser[variable];
    known = known == kNone || known == user ? user : kSeveral;
  };
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (isLive(id) && program.imageOf(id) != kHostImage)
      for (const GraphEdge &edge : context.graph.edges(id))
        note(id, edge.target);
}

/// To the least fixed point; each function changes twice at most.
void Folder::findKernels() {
  std::vector<GlobalId> pending;
  auto meet = [&](GlobalId id, GlobalId kernel) {
    GlobalId &known = kernelOf[id];
    GlobalId next = known == kNone || known == kernel ? kernel : kSeveral;
    if (known != next)
      pending.push_back(id);
    known = next;
  };
  for (GlobalId id : callers.bodies())
    if (program.symbol(id).has(kKernel))
      meet(id, id);
    else if (callers.unknown(id) != UnknownCaller::None)
      meet(id, kSeveral);
  while (!pending.empty()) {
    GlobalId id = pending.back();
    pending.pop_back();
    if (program.imageOf(id) != kHostImage)
      for (const GraphEdge &edge : context.graph.edges(id))
        if (program.function(edge.target))
          meet(edge.target, kernelOf[id]);
  }
}

/// Whether \p variable is block-shared memory that nobody but \p user has: two
/// kernels are never at work in one block.
bool Folder::hasOwnMemory(GlobalId user, GlobalId variable) const {
  return program.symbol(variable).addressSpace == kSharedAddressSpace &&
         program.variable(variable) && sharedUser[variable] == user &&
         kernelOf[user] < kSeveral &&
         !context.decisions.visibleOutside.test(variable);
}

/// Returns a number that tells a body with shared memory of its own from others
/// of its form in the same kernel, which has that memory twice.
uint32_t Folder::numberInKernel(Element element) {
  GlobalId id = elements[element];
  Form form = formOf(id);
  bool hasOwn = any_of(form.symbols, [&](SymbolIndex symbol) {
    GlobalId target = program.definitionFor(id, symbol);
    return target != kNone && hasOwnMemory(id, target);
  });
  return hasOwn ? bodiesInKernel[{kernelOf[id], form.hash}]++ : 0;
}

Folder::Form Folder::formOf(GlobalId id) const {
  const std::vector<SymbolIndex> &symbols =
      program.moduleRef(id).summary.foldSymbols;
  if (const VariableSummary *variable = program.variable(id))
    return {variable->foldHash, slice(symbols, variable->foldSymbols)};
  const FunctionSummary &function = *program.function(id);
  return {function.foldHash, slice(symbols, function.foldSymbols)};
}

void Folder::collect() {
  FoldRoles found = findFoldRoles(context, callers, options);
  elements = std::move(found.elements);
  roles = std::move(found.roles);
  for (auto [i, id] : enumerate(elements))
    elementOf[id] = i;
  stubs.resize(elements.size());
  std::iota(stubs.begin(), stubs.end(), 0);
  for (auto [i, id] : enumerate(elements)) {
    if (!program.has(id, kKernelStub))
      continue;
    SmallVector<Element, 1> kernels;
    for (GlobalId kernel : program.deviceCounterparts(id))
      kernels.push_back(elementOf[kernel]);
    bool foldsHandle =
        options.kernels == FoldKernels::Launch && roles[id] == FoldRole::Folds;
    for (Element kernel : kernels) {
      stubs[kernel] = i;
      if (foldsHandle)
        partners[kernel].push_back(i);
      else
        copy_if(kernels, std::back_inserter(partners[kernel]),
                [&](Element other) { return other != kernel; });
    }
    partners[i] = std::move(kernels);
  }
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Returns the first \p bits of \p digest.
static Digest firstBits(Digest digest, unsigned bits) {
  constexpr unsigned kWord = 64;
  digest.hi &= maskLeadingOnes<uint64_t>(std::min(bits, kWord));
  digest.lo &= maskLeadingOnes<uint64_t>(bits - std::min(bits, kWord));
  return digest;
}

/// What bodies of one class have in common, except for the symbols in their
/// forms.
struct Folder::Key {
  Digest form;
  // What is not in the form: the image, and how the module is compiled.
  ImageIndex image = kHostImage;
  Digest conclusions, codegen;
  uint8_t optLevel = 0, sizeLevel = 0;
  SymbolKind kind = SymbolKind::Function;
  bool isKernel = false;
  uint32_t number = 0, splits = 0;
  auto operator<=>(const Key &) const = default;
};

Folder::Key Folder::keyOf(Element element) {
  GlobalId id = elements[element];
  const ModuleSummary &summary = program.moduleRef(id).summary;
  return {firstBits(formOf(id).hash, context.params.icfDigestBits),
          program.imageOf(id),
          digestOfConclusions(program, id),
          summary.codegenDigest,
          summary.optLevel,
          summary.sizeLevel,
          program.symbol(id).kind,
          program.has(id, kKernel),
          numberInKernel(element),
          splitsOf(program, id, options)};
}

/// Makes classes of those of \p sameForm, ascending, that are alike.
void Folder::splitByKey(ArrayRef<Element> sameForm) {
  std::vector<std::pair<Key, Element>> keys;
  for (Element element : sameForm)
    keys.push_back({keyOf(element), element});
  llvm::sort(keys);
  for (size_t begin = 0, i = 1; i <= keys.size(); ++i) {
    if (i < keys.size() && keys[i].first == keys[begin].first)
      continue;
    if (i - begin > 1) {
      std::vector<Element> &members = classes.emplace_back();
      for (; begin < i; ++begin)
        members.push_back(keys[begin].second);
    }
    begin = i;
  }
}

void Folder::startClasses() {
  std::vector<std::pair<Digest, Element>> forms;
  forms.reserve(elements.size());
  for (auto [i, id] : enumerate(elements))
    forms.push_back(
        {firstBits(formOf(id).hash, context.params.icfDigestBits), i});
  llvm::sort(forms);
  std::vector<Element> sameForm;
  for (size_t i = 0; i < forms.size(); ++i) {
    sameForm.push_back(forms[i].second);
    if (i + 1 < forms.size() && forms[i + 1].first == forms[i].first)
      continue;
    if (sameForm.size() > 1)
      splitByKey(sameForm);
    sameForm.clear();
  }
  llvm::sort(classes, [](const auto &a, const auto &b) {
    return a.front() < b.front();
  });
  classOf.assign(elements.size(), kNone);
  for (auto [number, members] : enumerate(classes))
    for (Element element : members)
      classOf[element] = number;
  for (Element element = 0; element < elements.size(); ++element)
    if (classOf[element] != kNone)
      worklist.insert(element);
}

void Folder::connect() {
  auto forEach = [&](auto visit) {
    auto add = [&](Element of, Element user) {
      if (classOf[of] != kNone)
        visit(of, user);
    };
    for (const std::vector<Element> &members : classes)
      for (Element i : members) {
        for (SymbolIndex symbol : formOf(elements[i]).symbols)
          if (GlobalId target = program.definitionFor(elements[i], symbol);
              target != kNone && elementOf[target] != kNone)
            add(elementOf[target], i);
        for (Element partner : partnersOf(i))
          add(partner, i);
      }
  };
  firstUser.assign(elements.size() + 1, 0);
  forEach([&](Element of, Element) { ++firstUser[of + 1]; });
  std::partial_sum(firstUser.begin(), firstUser.end(), firstUser.begin());
  users.resize(firstUser.back());
  std::vector<uint32_t> next(firstUser.begin(), firstUser.end() - 1);
  forEach([&](Element of, Element user) { users[next[of]++] = user; });
}

Token Folder::tokenOf(GlobalId user, SymbolIndex symbol) {
  GlobalId target = program.definitionFor(user, symbol);
  if (target == kNone) {
    const CombinedModule &module = program.moduleRef(user);
    std::pair key(module.image,
                  CachedHashStringRef(module.summary.symbols[symbol].name));
    return makeToken(
        kNameToken, undefined.try_emplace(key, undefined.size()).first->second);
  }
  if (roles[target] == FoldRole::Folds && classOf[elementOf[target]] != kNone)
    return makeToken(kClassToken, classOf[elementOf[target]]);
  constexpr unsigned kAlignShift = 40;
  if (hasOwnMemory(user, target))
    if (const VariableSummary &variable = *program.variable(target);
        variable.sizeBytes >> kAlignShift == 0)
      return makeToken(kOwnMemoryToken, uint64_t(variable.alignLog2)
                                                << kAlignShift |
                                            variable.sizeBytes);
  return makeToken(kDefinitionToken, target);
}

std::vector<Token> Folder::signatureOf(Element element) {
  GlobalId id = elements[element];
  std::vector<Token> signature;
  for (SymbolIndex symbol : formOf(id).symbols)
    signature.push_back(tokenOf(id, symbol));
  for (Element partner : partnersOf(element))
    signature.push_back(classOf[partner] == kNone
                            ? makeToken(kDefinitionToken, elements[partner])
                            : makeToken(kClassToken, classOf[partner]));
  return signature;
}

/// Gives \p moved a class of their own.
void Folder::moveTo(ClassNumber number, ArrayRef<Element> moved) {
  for (Element element : moved) {
    classOf[element] = number;
    for (Element user : ArrayRef(users).slice(
             firstUser[element], firstUser[element + 1] - firstUser[element]))
      worklist.insert(user);
  }
}

/// Takes class \p number apart by the signatures of its \p changed members; the
/// others still have one in common, which none of those has.
void Folder::splitClass(ClassNumber number, ArrayRef<Element> changed) {
  std::vector<Element> &members = classes[number];
  if (members.size() == 1)
    return;
  // In the order of the first member.
  std::map<std::vector<Token>, size_t> groupOf;
  std::vector<std::vector<Element>> groups;
  for (Element element : changed) {
    auto [entry, isNew] =
        groupOf.try_emplace(signatureOf(element), groups.size());
    if (isNew)
      groups.emplace_back();
    groups[entry->second].push_back(element);
  }
  if (changed.size() < members.size()) {
    std::vector<Element> others;
    std::set_difference(members.begin(), members.end(), changed.begin(),
                        changed.end(), std::back_inserter(others));
    groups.push_back(std::move(others));
  }
  auto largest = llvm::max_element(
      groups, [](const auto &a, const auto &b) { return a.size() < b.size(); });
  std::swap(*largest, groups.front());
  members = std::move(groups.front());
  for (std::vector<Element> &group : drop_begin(groups)) {
    moveTo(static_cast<ClassNumber>(classes.size()), group);
    classes.push_back(std::move(group));
  }
}

void Folder::refine() {
  while (!worklist.empty()) {
    MapVector<ClassNumber, std::vector<Element>> changed;
    for (Element element : worklist.takeVector())
      changed[classOf[element]].push_back(element);
    for (auto &[number, members] : changed) {
      // A class before this one may have been split.
      llvm::sort(members);
      splitClass(number, members);
    }
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Returns the class of \p members. Leads who stays, or who keeps its symbol,
/// or the first; of kernels the one whose stub is the first, so that all images
/// have one name for it.
FoldClass Folder::makeClass(ArrayRef<Element> members) const {
  auto rank = [&](Element e) { return std::pair(roleOf(e), stubs[e]); };
  Element leader = *std::min_element(
      members.begin(), members.end(),
      [&](Element a, Element b) { return rank(a) < rank(b); });
  FoldClass fold;
  fold.leader = elements[leader];
  for (Element element : members)
    if (element != leader)
      (roleOf(element) == FoldRole::Folds   ? fold.members
       : roleOf(element) == FoldRole::Jumps ? fold.jumps
                                            : fold.stays)
          .push_back(elements[element]);
  return fold;
}

std::vector<FoldClass> Folder::makeClasses() const {
  std::vector<FoldClass> result;
  for (const std::vector<Element> &members : classes) {
    if (members.size() == 1)
      continue;
    FoldClass fold = makeClass(members);
    explain(fold);
    result.push_back(std::move(fold));
  }
  llvm::sort(result, [](const FoldClass &a, const FoldClass &b) {
    return a.leader < b.leader;
  });
  return result;
}

/// A stub's class says nothing that its kernels' do not say.
void Folder::explain(const FoldClass &fold) const {
  if (program.symbol(fold.leader).has(kKernelStub))
    return;
  auto report = [&](GlobalId id, RemarkKind kind, StringRef name,
                    const Twine &what) {
    if (!context.diagnostics.wantsRemark(kind, kFoldPass))
      return;
    Remark remark = makeFoldRemark(program, id);
    remark.kind = kind;
    remark.name = name.str();
    const FunctionSummary *function = program.function(id);
    std::string size =
        function ? std::to_string(function->instructionCount) + " instructions"
                 : std::to_string(program.variable(id)->sizeBytes) + " bytes";
    remark.text = (quotedName(program, id) + " (" + size + ") " + what).str();
    context.diagnostics.remark(std::move(remark));
  };
  std::string leader = quotedName(program, fold.leader);
  bool isHost = program.imageOf(fold.leader) == kHostImage;
  if (!isHost && program.images().size() > 2)
    leader += " for " + program.images()[program.imageOf(fold.leader)].arch;
  for (GlobalId member : fold.members)
    report(member, RemarkKind::Passed, "Folded", "is folded into " + leader);
  for (GlobalId member : fold.jumps)
    report(member, RemarkKind::Passed, "Shared",
           "jumps to " + leader + ": " + whyItStays(context, callers, member));
  for (GlobalId id : fold.stays)
    report(id, RemarkKind::Missed, "NotFolded",
           "does what " + leader +
               " does, but is not folded: " + whyItStays(context, callers, id));
}

std::vector<FoldClass> findFolds(const WpaContext &context,
                                 const Callers &callers,
                                 const FoldOptions &options) {
  if (options.mode == FoldMode::None)
    return {};
  return Folder(context, callers, options).run();
}

} // namespace gpulto
