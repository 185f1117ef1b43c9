//===- HostLibrary.cpp - Functions that touch no device -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/runtime/HostLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace gpulto {

HostLibrary::HostLibrary() {
  static constexpr StringLiteral kNames[] = {
#define HOST_LIBRARY(name) #name,
#define HOST_MATH(name) #name,
#include "ipa/runtime/HostLibrary.def"
  };
  for (StringRef name : kNames)
    names.insert(name);
  static constexpr StringLiteral kMath[] = {
#define HOST_MATH(name) #name,
#include "ipa/runtime/HostLibrary.def"
  };
  for (StringRef name : kMath)
    for (StringRef type : {"f", "l", "f32", "f64", "f128", "f32x", "f64x"})
      names.insert((name + type).str());
}

/// Whether \p word, the root of a name, is a namespace of the C++ library, or
/// of the language; \p isFunction: what it names is a function or a template.
static bool isWordOfCxx(StringRef word, bool isFunction) {
  static constexpr StringLiteral kWords[] = {
      "std",          "__gnu_cxx", "__cxxabiv1",     "__gnu_debug", "void",
      "bool",         "char",      "__gnu_parallel", "char8_t",     "char16_t",
      "char32_t",     "wchar_t",   "signed",         "unsigned",    "short",
      "int",          "long",      "float",          "double",      "__int128",
      "__float128",   "const",     "volatile",       "restrict",    "true",
      "__restrict__", "false",     "noexcept"};
  // The C library's, in the C++ library's parameters.
  static constexpr StringLiteral kTypes[] = {
      "__va_list_tag", "_IO_FILE", "__mbstate_t", "__locale_struct",
      "timespec",      "tm",       "lconv",       "pthread_mutex_t"};
  return is_contained(kWords, word) ||
         (!isFunction && is_contained(kTypes, word));
}

/// Whether all of \p name, demangled, is of the language and its library:
/// std::vector<int>::size() is, std::vector<Mine>::size() may call what others
/// wrote for Mine.
static bool isOfCxxAlone(StringRef name) {
  constexpr StringLiteral kInWord =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";
  bool isMember = false; // of the word before it
  while (!name.empty()) {
    StringRef word = name.take_while(
        [&](char c) { return kInWord.find(c) != StringRef::npos; });
    name = name.drop_front(word.size());
    bool isAllocation =
        !isMember && word == "operator" &&
        (name.consume_front(" new") || name.consume_front(" delete"));
    bool isFunction = name.starts_with("(") || name.starts_with("<");
    if (!word.empty() && !isMember && !isAllocation && !isDigit(word[0]) &&
        !isWordOfCxx(word, isFunction))
      return false;
    if (name.consume_front("[abi:"))
      name = name.split(']').second;
    isMember = name.consume_front("::~") || name.consume_front("::");
    if (!isMember && word.empty())
      name = name.drop_front();
  }
  return true;
}

/// Source: Itanium C++ ABI, 5.1; the demangler's words are LLVM's.
bool HostLibrary::isOfCxx(StringRef name) {
  if (name.starts_with("__cxa_") || name.starts_with("_Unwind_") ||
      name.starts_with("__gxx_personality_"))
    return true;
  // The library's std is `St`: one that is spelled out is in another namespace.
  if (!name.starts_with("_Z") || name.contains("N3std") ||
      name.contains("NK3std"))
    return false;
  std::unique_ptr<char, decltype(&std::free)> demangled(itaniumDemangle(name),
                                                        &std::free);
  if (!demangled)
    return false;
  StringRef text = demangled.get();
  // "vtable for ...", "non-virtual thunk to ...".
  if (name.starts_with("_ZT") || name.starts_with("_ZG"))
    for (StringRef before : {" for ", " to "})
      if (size_t end = text.find(before); end != StringRef::npos) {
        text = text.drop_front(end + before.size());
        break;
      }
  return isOfCxxAlone(text);
}

/// Whether \p name is what compilers call where the processor has no
/// instruction, by the types it is for: __divti3, __muldc3, __fixunsxfti.
/// Source: GCC Internals, "The GCC low-level runtime library".
static bool isOfCompiler(StringRef name) {
  if (!name.consume_front("__"))
    return false;
  if (name.starts_with("atomic_") || name.starts_with("sync_"))
    return true;
  bool isConversion = name.starts_with("fix") || name.starts_with("float");
  if (!isConversion && !StringRef("234").contains(name.take_back()))
    return false;
  name = name.rtrim("234");
  static constexpr StringLiteral kTypes[] = {"si", "di", "ti", "hf", "sf",
                                             "df", "xf", "tf", "hc", "sc",
                                             "dc", "xc", "tc"};
  return all_of(name, isLower) && is_contained(kTypes, name.take_back(2));
}

bool HostLibrary::contains(StringRef name) const {
  if (isOfCxx(name) || isOfCompiler(name) || names.contains(name))
    return true;
  bool isStandard =
      name.consume_front("__isoc99_") || name.consume_front("__isoc23_");
  if (!isStandard && name.consume_front("__") && !name.consume_back("_chk"))
    name.consume_back("_finite");
  return names.contains(name) || name.starts_with("pthread_");
}

bool HostLibrary::touchesArgumentsOnly(StringRef name) {
  static const StringSet<> kNames = {
      "readv",    "preadv",      "preadv2",    "recvmsg",  "recvmmsg",
      "writev",   "pwritev",     "sendmsg",    "getline",  "getdelim",
      "qsort",    "qsort_r",     "bsearch",    "lfind",    "lsearch",
      "tsearch",  "tfind",       "tdelete",    "twalk",    "hsearch",
      "setvbuf",  "setbuf",      "setbuffer",  "fmemopen", "open_memstream",
      "aio_read", "aio_write",   "lio_listio", "munmap",   "mremap",
      "msync",    "fork",        "vfork",      "atexit",   "on_exit",
      "longjmp",  "siglongjmp",  "ftw",        "nftw",     "glob",
      "scandir",  "getaddrinfo", "asprintf",   "vasprintf"};
  static constexpr StringLiteral kBeginnings[] = {"pthread_", "__kmpc_", "omp_",
                                                  "thrd_", "sig"};
  return !kNames.contains(name) && !name.contains("thread") &&
         !name.contains("scanf") && none_of(kBeginnings, [&](StringRef begin) {
           return name.starts_with(begin);
         });
}

bool HostLibrary::allocates(StringRef name) {
  static const StringSet<> kNames = {"malloc",
                                     "calloc",
                                     "realloc",
                                     "reallocarray",
                                     "aligned_alloc",
                                     "memalign",
                                     "valloc",
                                     "_Znwm",
                                     "_Znam",
                                     "_ZnwmSt11align_val_t",
                                     "_ZnamSt11align_val_t",
                                     "_ZnwmRKSt9nothrow_t",
                                     "_ZnamRKSt9nothrow_t"};
  return kNames.contains(name);
}

bool HostLibrary::frees(StringRef name) {
  static const StringSet<> kNames = {"free",
                                     "_ZdlPv",
                                     "_ZdaPv",
                                     "_ZdlPvm",
                                     "_ZdaPvm",
                                     "_ZdlPvSt11align_val_t",
                                     "_ZdaPvSt11align_val_t",
                                     "_ZdlPvmSt11align_val_t",
                                     "_ZdaPvmSt11align_val_t"};
  return kNames.contains(name);
}

} // namespace gpulto
