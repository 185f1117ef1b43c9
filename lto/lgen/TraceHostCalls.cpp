//===- TraceHostCalls.cpp - What functions of libraries access ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/lgen/TraceHostCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpulto {

using enum HostAccess;

static constexpr HostOperand kCopy[] = {{Load, 1, 2}, {Store, 0, 2}};
static constexpr HostOperand kCopyFrom0[] = {{Load, 0, 2}, {Store, 1, 2}};
static constexpr HostOperand kSet[] = {{Store, 0, 2}};
static constexpr HostOperand kCompare[] = {{Load, 0, 2}, {Load, 1, 2}};
static constexpr HostOperand kFind[] = {{Load, 0, 2}};
static constexpr HostOperand kString[] = {{LoadString, 0}};
static constexpr HostOperand kTwoStrings[] = {{LoadString, 0}, {LoadString, 1}};
static constexpr HostOperand kReadElements[] = {{Store, 0, 1, 2}};
static constexpr HostOperand kWriteElements[] = {{Load, 0, 1, 2}};
static constexpr HostOperand kReadBytes[] = {{Store, 1, 2}};
static constexpr HostOperand kWriteBytes[] = {{Load, 1, 2}};
static constexpr HostOperand kReadLine[] = {{Store, 0, 1}};
static constexpr HostOperand kUnmap[] = {{End, 0, 1}};
static constexpr HostOperand kFree[] = {{Free, 0}};
static constexpr HostOperand kReallocate[] = {{Reallocate, 0}};

static constexpr HostFunction kFunctions[] = {
    {"memcpy", kCopy},
    {"memmove", kCopy},
    {"mempcpy", kCopy},
    {"bcopy", kCopyFrom0},
    {"memset", kSet},
    {"memcmp", kCompare},
    {"bcmp", kCompare},
    {"memchr", kFind},
    {"strlen", kString},
    {"puts", kString},
    {"atoi", kString},
    {"atol", kString},
    {"atof", kString},
    {"strcmp", kTwoStrings},
    {"fread", kReadElements},
    {"fwrite", kWriteElements},
    {"read", kReadBytes},
    {"pread", kReadBytes},
    {"recv", kReadBytes},
    {"write", kWriteBytes},
    {"pwrite", kWriteBytes},
    {"send", kWriteBytes},
    {"fgets", kReadLine},
    {"munmap", kUnmap},
    {"free", kFree},
    {"_ZdlPv", kFree},
    {"_ZdaPv", kFree},
    {"_ZdlPvm", kFree},
    {"_ZdaPvm", kFree},
    {"_ZdlPvSt11align_val_t", kFree},
    {"_ZdaPvSt11align_val_t", kFree},
    {"_ZdlPvmSt11align_val_t", kFree},
    {"_ZdaPvmSt11align_val_t", kFree},
    {"realloc", kReallocate},
    // They get no pointers that matter.
    {"malloc", {}},
    {"calloc", {}},
    {"_Znwm", {}},
    {"_Znam", {}},
};

const HostFunction *findHostFunction(StringRef name) {
  const HostFunction *found =
      find_if(kFunctions,
              [&](const HostFunction &known) { return known.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

static constexpr StringLiteral kClocks[] = {
    "clock", "clock_gettime", "ftime",        "getrusage",
    "time",  "times",         "gettimeofday", "omp_get_wtime"};

static constexpr StringLiteral kOutput[] = {"printf",         "puts",
                                            "putchar",        "fprintf",
                                            "vprintf",        "vfprintf",
                                            "fputs",          "fputc",
                                            "putc",           "fwrite",
                                            "fflush",         "fopen",
                                            "fclose",         "fread",
                                            "fgets",          "fgetc",
                                            "getc",           "read",
                                            "write",          "pread",
                                            "pwrite",         "open",
                                            "close",          "perror",
                                            "fscanf",         "scanf",
                                            "getline",        "fseek",
                                            "feof",           "send",
                                            "recv",           "__isoc99_fscanf",
                                            "__isoc99_scanf", "__isoc23_fscanf",
                                            "__isoc23_scanf", "munmap"};

static constexpr StringLiteral kExits[] = {
    "exit",          "_exit",         "quick_exit",     "abort",
    "__assert_fail", "longjmp",       "_longjmp",       "siglongjmp",
    "fork",          "vfork",         "system",         "popen",
    "__cxa_throw",   "__cxa_rethrow", "_Unwind_Resume", "_ZSt9terminatev"};

/// Parts of C++'s library that keep to their objects.
static constexpr StringLiteral kQuietPrefixes[] = {
    "__cxa_",
    "_ZNSt7__cxx1112basic_string",
    "_ZNKSt7__cxx1112basic_string",
    "_ZSt18_Rb_tree",
    "_ZSt28_Rb_tree",
    "_ZSt29_Rb_tree",
    "_ZNSt8__detail",
    "_ZNKSt8__detail",
    "_ZSt11_Hash_bytes",
    "drand48",
    "srand48",
    "lrand48",
    "rand",
    "srand",
    "random",
    "srandom",
    "rand_r",
    "__isoc23_strto",
    "sincos"};

static constexpr StringLiteral kStreamPrefixes[] = {"_ZNSo",
                                                    "_ZNSi",
                                                    "_ZStls",
                                                    "_ZSt4endl",
                                                    "_ZSt16__ostream_insert",
                                                    "_ZStrs",
                                                    "_ZSt5flush",
                                                    "_ZSt7getline",
                                                    "_ZNSt8ios_base",
                                                    "_ZNSt9basic_ios",
                                                    "_ZNSt14basic_ifstream",
                                                    "_ZNSt14basic_ofstream",
                                                    "_ZNSt13basic_fstream",
                                                    "_ZNSt13basic_filebuf"};

static bool hasPrefix(StringRef name, ArrayRef<StringLiteral> prefixes) {
  return any_of(prefixes,
                [&](StringRef prefix) { return name.starts_with(prefix); });
}

HostObserver observerOf(StringRef name, bool isKnown) {
  if (is_contained(kClocks, name) ||
      (name.contains("chrono") && name.ends_with("3nowEv")))
    return HostObserver::Clock;
  if (is_contained(kOutput, name) || hasPrefix(name, kStreamPrefixes))
    return HostObserver::Output;
  if (is_contained(kExits, name) || name.starts_with("exec") ||
      name.contains("__throw_"))
    return HostObserver::Exit;
  if (name.starts_with("nvtx"))
    return HostObserver::Profiler;
  if (hasPrefix(name, {"pthread_", "sem_", "_ZNSt6thread", "_ZNSt18condition"}))
    return HostObserver::Lock;
  if (isKnown || findHostFunction(name) || hasPrefix(name, kQuietPrefixes))
    return HostObserver::None;
  return HostObserver::Untraced;
}

bool isCudaFunction(StringRef name) {
  if (name.starts_with("__cuda"))
    return true;
  if (name.consume_front("cuda"))
    return !name.empty() && isUpper(name[0]);
  return name.consume_front("cu") && !name.empty() && isUpper(name[0]);
}

bool mayWait(StringRef name) {
  return name.contains("Memcpy") || name.contains("Memset") ||
         name.contains("Synchronize");
}

} // namespace gpulto
