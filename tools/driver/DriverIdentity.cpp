//===- DriverIdentity.cpp - Name a compilation reproducibly ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// clang makes the names of static kernels and device variables unique with an
// identity of the compilation unit, by default from the source file's inode:
// two checkouts of one program give two binaries. Ours depends on
//
//   1. the source's name relative to the directory where clang runs,
//   2. the options that shape the code,
//   3. the source's contents: make -C a and make -C b both compile kernel.cu.
//
// It makes names readable and reproducible, not unique: two sources with equal
// name and contents, but different headers, have the same one, as does a source
// that is compiled twice. The link separates units whatever their identities
// are (lto/wpa/WpaUnits), so only the source is read here, and host and device
// compiles agree even if their headers differ.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverIdentity.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

using namespace llvm;
namespace opts = clang::driver::options;
namespace fs = std::filesystem;

namespace gpulto::driver {

/// Whether \p argument shapes the generated code and holds no directory.
static bool shapesCode(const DriverArg &argument) {
  static constexpr unsigned kGroups[] = {opts::OPT_O_Group, opts::OPT_m_Group,
                                         opts::OPT_D,       opts::OPT_U,
                                         opts::OPT_std_EQ,  opts::OPT_g_Group};
  for (unsigned id : kGroups)
    if (argument.is(id))
      return true;
  if (argument.is(opts::OPT_IncludePath_Group))
    return argument.arg->getNumValues() == 1 &&
           sys::path::is_relative(argument.arg->getValue());
  // Of the -f options, those that are flags or numbers; paths are excluded.
  if (!argument.is(opts::OPT_f_Group))
    return false;
  static constexpr unsigned kNotCode[] = {
      opts::OPT_ffile_prefix_map_EQ,
      opts::OPT_fdebug_prefix_map_EQ,
      opts::OPT_fmacro_prefix_map_EQ,
      opts::OPT_fcoverage_prefix_map_EQ,
      opts::OPT_fdebug_compilation_dir_EQ,
      opts::OPT_ffile_compilation_dir_EQ,
      opts::OPT_fcoverage_compilation_dir_EQ,
      opts::OPT_fuse_ld_EQ,
      opts::OPT_fcolor_diagnostics,
      opts::OPT_fno_color_diagnostics,
      opts::OPT_fdiagnostics_color_EQ,
      opts::OPT_fplugin_EQ,
      opts::OPT_fpass_plugin_EQ,
      opts::OPT_ftime_trace,
      opts::OPT_ftime_trace_EQ,
      opts::OPT_foptimization_record_file_EQ,
      opts::OPT_cuda_path_EQ,
      opts::OPT_ptxas_path_EQ,
      opts::OPT_cuid_EQ};
  for (unsigned id : kNotCode)
    if (argument.is(id))
      return false;
  return true;
}

Digest optionDigest(const CommandLine &line,
                    ArrayRef<std::string> architectures) {
  StableHasher hasher;
  for (const DriverArg &argument : line.arguments())
    if (shapesCode(argument) && !isOwn(argument))
      for (StringRef word : line.wordsOf(argument))
        hasher.add(word);
  for (const std::string &name : architectures)
    hasher.add(name);
  return hasher.finish();
}

std::string mappedPath(const CommandLine &line, StringRef path) {
  std::string result;
  for (const DriverArg &argument : line.arguments()) {
    if (!argument.is(opts::OPT_ffile_prefix_map_EQ) &&
        !argument.is(opts::OPT_fdebug_prefix_map_EQ))
      continue;
    auto [from, to] = StringRef(argument.arg->getValue()).split('=');
    if (!from.empty() && path.starts_with(from))
      result = to.str() + path.drop_front(from.size()).str();
  }
  return result;
}

std::string stablePath(const CommandLine &line, StringRef path,
                       StringRef directory) {
  std::string mapped = mappedPath(line, path);
  if (!mapped.empty())
    return mapped;
  fs::path given(path.str());
  if (!given.is_absolute())
    return given.lexically_normal().string();
  fs::path base(directory.str());
  fs::path relative = given.lexically_normal().lexically_relative(base);
  long ups = std::count(relative.begin(), relative.end(), "..");
  long depth = std::distance(base.begin(), base.end()) - 1; // without the root
  if (relative.empty() || ups >= depth)
    return given.filename().string();
  return relative.string();
}

std::string compilationUnitId(const CommandLine &line, const DriverInput &input,
                              StringRef contents, const Digest &options) {
  StringRef given = line.clangArgs().getLastArgValue(opts::OPT_cuid_EQ);
  if (!given.empty())
    return given.str();
  SmallString<128> directory;
  if (sys::fs::current_path(directory))
    directory.clear();
  StableHasher hasher;
  hasher.add(stablePath(line, input.path, directory));
  hasher.add(digestOf(contents));
  hasher.add(options);
  // 64 bits are plenty for the units of one program, and keep names short.
  return hasher.finish().hex().substr(0, 16);
}

} // namespace gpulto::driver
