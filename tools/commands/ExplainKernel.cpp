//===- ExplainKernel.cpp - gpulto explain KERNEL PROGRAM ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The story of a kernel, in about ten lines, from what the program holds: what
// the link's remarks say (KernelTable), its accesses to memory (MemoryTable),
// and its cubins. A remark is a whole sentence; here what all of them repeat,
// the kernel's name and its launches, is left out.
//
//===----------------------------------------------------------------------===//

#include "tools/commands/ExplainKernel.h"

#include "lto/tables/KernelTable.h"
#include "lto/tables/MemoryTable.h"
#include "lto/tables/ProgramTable.h"
#include "summary/Facts.h"
#include "support/Subprocess.h"
#include "support/UnitNames.h"
#include "tools/commands/ImagesCommand.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

using namespace llvm;

namespace gpulto {

namespace {
/// All that a program says of itself.
struct Program {
  KernelTable kernels;
  MemoryTable memory;
  std::vector<KernelFigures> figures;
};

/// Lines under one heading.
struct Chapter {
  StringRef heading;
  std::vector<std::string> lines;
};
} // namespace

/// Of a chapter so many lines are shown.
static constexpr size_t kMostLines = 6;

/// Returns the name of a kernel in the source.
static std::string nameOf(StringRef kernel) {
  return demangled(withoutCloneSuffix(kernel));
}

static bool isMeant(StringRef kernel, const GlobPattern &glob) {
  return isNamed(withoutCloneSuffix(kernel), nameOf(kernel), glob);
}

/// Returns \p text with names as in the source, without \p kernel and, at its
/// end, without the launches.
static std::string shortened(StringRef text, StringRef kernel) {
  std::string quoted = ("'" + kernel + "'").str();
  std::string result = text.str();
  for (StringRef end : {": the only launch", ": all "})
    if (size_t at = result.rfind(end);
        at != std::string::npos &&
        StringRef(result).substr(at).contains(" launch"))
      result.resize(at);
  for (const std::string &phrase :
       {"geometry of " + quoted + " is ", quoted + " is launched ",
        quoted + " takes ", " in " + quoted, " of " + quoted, quoted + " is ",
        quoted + " "})
    for (size_t at; (at = result.find(phrase)) != std::string::npos;)
      result.erase(at, phrase.size());
  // Other quotes are apostrophes, or around what is no linkage name.
  constexpr StringLiteral kMangled = "'_Z";
  std::string readable;
  StringRef rest = result;
  for (size_t at; (at = rest.find(kMangled)) != StringRef::npos;) {
    StringRef name = rest.drop_front(at + 1).split('\'').first;
    readable += (rest.take_front(at + 1) + nameOf(name)).str();
    rest = rest.drop_front(at + 1 + name.size());
  }
  return readable + rest.str();
}

/// Whether \p fact says what is known, and not what was done.
static bool isKnowledge(const KernelFact &fact) {
  StringRef name = fact.name;
  return name == "LaunchGeometry" || name.starts_with("Parameter") ||
         name == "ApartPointers";
}

/// Returns the lines of the facts of \p story for which \p isMeant holds, what
/// a reader takes for one once.
static std::vector<std::string>
linesOf(const KernelStory &story,
        function_ref<bool(const KernelFact &)> isMeant) {
  std::vector<std::string> lines;
  for (const KernelFact &fact : story.facts)
    if (isMeant(fact))
      if (std::string line = shortened(fact.text, story.kernel);
          !is_contained(lines, line))
        lines.push_back(std::move(line));
  return lines;
}

/// Returns what the check of kernels says that \p story's kernel takes, with
/// decisions and without.
static std::vector<std::pair<StringRef, StringRef>>
comparisonsOf(const KernelStory &story) {
  std::vector<std::pair<StringRef, StringRef>> result;
  for (const KernelFact &fact : story.facts) {
    if (fact.name != "Costs")
      continue;
    StringRef figures = StringRef(fact.text).split("' takes ").second;
    if (auto both = figures.split("; plain: ");
        !both.second.empty() && !is_contained(result, both))
      result.push_back(both);
  }
  return result;
}

/// Returns what the cubins say of \p story's kernel and its versions.
static std::vector<std::string> costsOf(const KernelStory &story,
                                        const Program &program) {
  std::vector<std::string> lines;
  for (const KernelFigures &figures : program.figures) {
    if (nameOf(figures.name) != nameOf(story.kernel))
      continue;
    StringRef version =
        StringRef(figures.name)
            .drop_front(withoutCloneSuffix(figures.name).size());
    lines.push_back(
        formatv("{0}{1}: {2} registers, {3} bytes of stack, {4} "
                "bytes of code",
                figures.arch, version.empty() ? "" : " " + version.str(),
                figures.registers, figures.stackBytes, figures.textBytes));
  }
  for (const auto &[now, before] : comparisonsOf(story))
    if (!now.contains(" 0 + 0 bytes spilled"))
      lines.push_back(now.str());
  return lines;
}

/// Returns what the kernel took without decisions.
static std::vector<std::string> plainCostsOf(const KernelStory &story) {
  std::vector<std::string> lines;
  for (const auto &[now, before] : comparisonsOf(story))
    lines.push_back(before.str());
  if (lines.empty())
    lines.push_back("not known: a plain build is made only where it could "
                    "spill less or fit more blocks");
  return lines;
}

/// Returns what is said of the access \p row of \p story's kernel.
static std::string lineOf(const MemoryRow &row, const KernelStory &story) {
  std::string line = placeOf(row);
  if (!line.empty())
    line += ": ";
  line += messageOf(row);
  std::string owner = " in '" + nameOf(story.kernel) + "'";
  if (size_t at = line.find(owner); at != std::string::npos)
    line.erase(at, owner.size());
  return line;
}

/// Returns what is said of the accesses of \p story's kernel to memory, and
/// adds to \p advice what to do.
static std::vector<std::string> accessesOf(const KernelStory &story,
                                           const Program &program,
                                           std::vector<std::string> &advice) {
  size_t count = 0;
  std::vector<std::string> subjects, lines;
  for (const MemoryImage &image : program.memory.images)
    for (const MemoryRow &row : image.rows) {
      if (nameOf(row.kernel) != nameOf(story.kernel) ||
          is_contained(subjects, subjectOf(row)))
        continue;
      subjects.push_back(subjectOf(row));
      ++count;
      if (!row.isAlarm)
        continue;
      lines.push_back(lineOf(row, story));
      if (!row.advice.empty() && !is_contained(advice, row.advice))
        advice.push_back(row.advice);
    }
  if (count)
    lines.insert(lines.begin(),
                 formatv("{0} access{1}, {2} waste bandwidth", count,
                         count == 1 ? "" : "es", lines.size()));
  return lines;
}

static void print(const Chapter &chapter) {
  constexpr int kColumn = 12;
  StringRef heading = chapter.heading;
  for (const std::string &line :
       ArrayRef(chapter.lines).take_front(kMostLines)) {
    outs() << "  " << left_justify(heading, kColumn) << line << '\n';
    heading = "";
  }
  if (chapter.lines.size() > kMostLines)
    outs() << "  " << left_justify("", kColumn) << "and "
           << chapter.lines.size() - kMostLines << " more\n";
}

static void print(const KernelStory &story, const Program &program) {
  outs() << nameOf(story.kernel);
  if (!story.file.empty())
    outs() << ", " << story.file;
  if (story.line)
    outs() << ':' << story.line;
  outs() << '\n';
  auto ofKind = [&](RemarkKind kind) {
    return [kind](const KernelFact &fact) { return fact.kind == kind; };
  };
  // Constants before what is only bounded.
  std::vector<std::string> known;
  for (bool isBounds : {false, true})
    append_range(known, linesOf(story, [&](const KernelFact &fact) {
                   return fact.kind == RemarkKind::Passed &&
                          isKnowledge(fact) &&
                          (fact.name == "ParameterBounds") == isBounds;
                 }));
  std::vector<std::string> done = linesOf(story, [](const KernelFact &fact) {
    return fact.kind == RemarkKind::Passed && !isKnowledge(fact);
  });
  std::vector<std::string> launches = linesOf(
      story, [](const KernelFact &fact) { return fact.name == "Launch"; });
  std::vector<std::string> missing = linesOf(story, ofKind(RemarkKind::Missed));
  bool knowsBlock = any_of(known, [](StringRef line) {
    return line.contains("block ") &&
           !line.split("block ").second.contains('?');
  });
  if (launches.empty())
    launches.push_back("nobody that the link sees");
  if (known.empty())
    known.push_back("nothing");
  std::vector<std::string> advice;
  std::vector<std::string> accesses = accessesOf(story, program, advice);
  if (!knowsBlock && !launches.empty())
    advice.push_back("launch blocks of one size, or declare it: "
                     "__launch_bounds__(N)");
  for (const Chapter &chapter :
       {Chapter{"launched", launches}, Chapter{"known", known},
        Chapter{"done", done}, Chapter{"takes", costsOf(story, program)},
        Chapter{"before", plainCostsOf(story)}, Chapter{"memory", accesses},
        Chapter{"not done", missing}, Chapter{"to do", advice}})
    print(chapter);
}

static Expected<Program> readProgram(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(path);
  if (!file)
    return file.takeError();
  InputLocation where(path);
  Program program;
  if (Error error = readKernelTable((*file)->getMemBufferRef(), where)
                        .moveInto(program.kernels))
    return std::move(error);
  // It may have been stripped away.
  auto memory = findTable((*file)->getMemBufferRef(), kMemorySection, where);
  if (!memory)
    return memory.takeError();
  if (*memory)
    if (Error error = decodeMemoryTable((*memory)->bytes, (*memory)->where)
                          .moveInto(program.memory))
      return std::move(error);
  if (Error error = kernelFigures(path).moveInto(program.figures))
    return std::move(error);
  return program;
}

/// Whether the file \p path has a kernel that \p kernel means.
static bool hasKernel(StringRef path, StringRef kernel) {
  Expected<GlobPattern> glob = GlobPattern::create(kernel);
  Expected<Program> program = readProgram(path);
  bool isThere =
      glob && program &&
      any_of(program->kernels.kernels, [&](const KernelStory &story) {
        return isMeant(story.kernel, *glob);
      });
  // What is wrong is said by whoever reads them next.
  consumeError(glob.takeError());
  consumeError(program.takeError());
  return isThere;
}

bool isAboutKernel(ArrayRef<const char *> arguments) {
  if (arguments.size() != 2 ||
      any_of(arguments, [](StringRef word) { return word.starts_with("-"); }))
    return false;
  StringRef kernel = arguments[0];
  return !sys::fs::exists(kernel) ||
         (!kernel.contains('/') && hasKernel(arguments[1], kernel));
}

int explainKernelCommand(ArrayRef<const char *> arguments) {
  auto fail = [](Error error) {
    errs() << "gpulto explain: error: " << toString(std::move(error)) << '\n';
    return 1;
  };
  StringRef kernel = arguments[0], path = arguments[1];
  Expected<GlobPattern> glob = GlobPattern::create(kernel);
  if (!glob)
    return fail(glob.takeError());
  Expected<Program> program = readProgram(path);
  if (!program)
    return fail(program.takeError());
  bool isFound = false;
  for (const KernelStory &story : program->kernels.kernels)
    if (isMeant(story.kernel, *glob)) {
      if (isFound)
        outs() << '\n';
      print(story, *program);
      isFound = true;
    }
  if (!isFound)
    return fail(makeError(path + ": there is neither a kernel nor a file '" +
                          kernel + "'"));
  return 0;
}

} // namespace gpulto
