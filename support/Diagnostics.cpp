//===- Diagnostics.cpp - Errors, warnings and remarks ---------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/Diagnostics.h"

#include "support/Subprocess.h"
#include "support/UnitNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Remarks/Remark.h"
#include "llvm/Remarks/RemarkSerializer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <iterator>
#include <tuple>

using namespace gpulto;

static const std::string &pattern(const DiagnosticsOptions &options,
                                  RemarkKind kind) {
  switch (kind) {
  case RemarkKind::Passed:
    return options.passed;
  case RemarkKind::Missed:
    return options.missed;
  case RemarkKind::Analysis:
    break;
  }
  return options.analysis;
}

static const char *flagName(RemarkKind kind) {
  switch (kind) {
  case RemarkKind::Passed:
    return "-Rpass";
  case RemarkKind::Missed:
    return "-Rpass-missed";
  case RemarkKind::Analysis:
    break;
  }
  return "-Rpass-analysis";
}

static constexpr RemarkKind kKinds[] = {RemarkKind::Passed, RemarkKind::Missed,
                                        RemarkKind::Analysis};

llvm::Error Diagnostics::checkOptions(const DiagnosticsOptions &options) {
  auto check = [](llvm::StringRef flag, llvm::StringRef text) -> llvm::Error {
    std::string why;
    if (!text.empty() && !llvm::Regex(text).isValid(why))
      return makeError(flag + "=" + text +
                       ": malformed regular expression: " + why);
    return llvm::Error::success();
  };
  for (RemarkKind kind : kKinds)
    if (llvm::Error error = check(flagName(kind), pattern(options, kind)))
      return error;
  return check("-foptimization-record-passes", options.kept);
}

Diagnostics::Diagnostics(DiagnosticsOptions options)
    : opts(std::move(options)) {
  for (RemarkKind kind : kKinds)
    if (const std::string &text = pattern(opts, kind); !text.empty())
      filters[static_cast<size_t>(kind)].emplace(text);
  if (!opts.kept.empty())
    keptPasses.emplace(opts.kept);
  if (!opts.stories.empty())
    storyPasses.emplace(opts.stories);
}

/// Returns \p text with what is a mangled name between quotes demangled.
std::string Diagnostics::forUser(llvm::StringRef text) const {
  return opts.demangles ? withNamesOfSource(text) : text.str();
}

void Diagnostics::add(Severity severity, const InputLocation &where,
                      std::string text) {
  if (severity == Severity::Warning && opts.noWarnings)
    return;
  if (severity == Severity::Warning && opts.fatalWarnings)
    severity = Severity::Error;
  if (severity == Severity::Error)
    ++errors;
  text = forUser(text);
  std::lock_guard guard(lock);
  entries.push_back({severity, where, {}, {}, {}, std::move(text)});
}

void Diagnostics::error(const llvm::Twine &message) {
  add(Severity::Error, {}, message.str());
}

void Diagnostics::error(const InputLocation &where,
                        const llvm::Twine &message) {
  add(Severity::Error, where, message.str());
}

void Diagnostics::warning(const llvm::Twine &message) {
  add(Severity::Warning, {}, message.str());
}

void Diagnostics::warning(const InputLocation &where,
                          const llvm::Twine &message) {
  add(Severity::Warning, where, message.str());
}

void Diagnostics::report(llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const InputError &info) {
        add(Severity::Error, info.location(), info.text());
      },
      [&](const llvm::ErrorInfoBase &info) {
        add(Severity::Error, {}, info.message());
      });
}

bool Diagnostics::isPrinted(RemarkKind kind, llvm::StringRef pass) const {
  const std::optional<llvm::Regex> &filter = filters[static_cast<size_t>(kind)];
  return filter && filter->match(pass);
}

bool Diagnostics::isKept(llvm::StringRef pass) const {
  return opts.keepRemarks && (!keptPasses || keptPasses->match(pass));
}

bool Diagnostics::isStory(llvm::StringRef pass) const {
  return storyPasses && storyPasses->match(pass);
}

bool Diagnostics::wantsRemark(RemarkKind kind, llvm::StringRef pass) const {
  return isKept(pass) || isStory(pass) || isPrinted(kind, pass);
}

void Diagnostics::remark(Remark remark) {
  bool printed = isPrinted(remark.kind, remark.pass);
  bool kept = isKept(remark.pass), told = isStory(remark.pass);
  if (!printed && !kept && !told)
    return;
  std::lock_guard guard(lock);
  if (printed)
    entries.push_back({Severity::Remark, remark.input, remark.where,
                       remark.kind, remark.pass, forUser(remark.text)});
  if (told)
    stories.push_back(remark);
  if (kept)
    remarks.push_back(std::move(remark));
}

Diagnostics::Mark Diagnostics::mark() const {
  std::lock_guard guard(lock);
  return {entries.size(), remarks.size(), stories.size(), errors.load()};
}

void Diagnostics::forgetSince(const Mark &mark) {
  std::lock_guard guard(lock);
  entries.resize(mark.entries);
  remarks.resize(mark.remarks);
  stories.resize(mark.stories);
  errors = mark.errors;
}

/// Prints the source line of \p entry, if there is one.
void Diagnostics::printPlace(llvm::raw_ostream &os, const Entry &entry) {
  if (entry.source.file.empty())
    return;
  os << entry.source.file;
  if (entry.source.line)
    os << ':' << entry.source.line << ':' << entry.source.column;
  os << ": ";
}

/// Prints what \p entry says, behind its place if that is no source line.
void Diagnostics::printText(llvm::raw_ostream &os, const Entry &entry) {
  std::string place = entry.input.str();
  if (entry.source.file.empty() && !place.empty())
    os << place << ": ";
  os << entry.text;
  if (entry.severity == Severity::Remark)
    os << " [" << flagName(entry.kind) << '=' << entry.pass << ']';
}

void Diagnostics::printEntry(llvm::raw_ostream &os, const Entry &entry) const {
  struct Style {
    const char *word;
    llvm::raw_ostream::Colors color;
  };
  static constexpr Style kStyles[] = {{"error: ", llvm::raw_ostream::RED},
                                      {"warning: ", llvm::raw_ostream::MAGENTA},
                                      {"remark: ", llvm::raw_ostream::BLUE}};
  const Style &style = kStyles[static_cast<size_t>(entry.severity)];
  // A remark about a source line looks as clang's, so that editors find it.
  printPlace(os, entry);
  if (entry.source.file.empty())
    os << opts.prefix << ": ";
  if (opts.color)
    os.changeColor(style.color, /*Bold=*/true);
  os << style.word;
  if (opts.color)
    os.resetColor();
  printText(os, entry);
  os << '\n';
}

static auto sourceKey(const SourceLocation &where) {
  return std::tie(where.file, where.line, where.column);
}

/// Returns \p entry as one line that tells it from others.
std::string Diagnostics::textOf(const Entry &entry) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << static_cast<unsigned>(entry.severity) << ' ';
  printPlace(os, entry);
  printText(os, entry);
  return os.str();
}

// -Rpass=gpulto, which names no pass, asks for an overview: what changes a
// program most comes first, and what does not fit a screen is counted.
static constexpr llvm::StringLiteral kOverview = "gpulto";
static constexpr size_t kOverviewRemarks = 20;
/// The passes, the most valuable first: what became of kernels, what of calls,
/// and then what is known.
static constexpr llvm::StringLiteral kByValue[] = {
    "gpulto-check-kernels", "gpulto-launches", "gpulto-memory",
    "gpulto-fold",          "gpulto-inlining", "gpulto-signatures",
    "gpulto-constants",     "gpulto-effects",  "gpulto-coldness"};

static size_t rankOf(llvm::StringRef pass) {
  return llvm::find(kByValue, pass) - std::begin(kByValue);
}

/// Returns \p text without the names of functions in it: what is said of
/// several instances of a template is the same then.
static std::string withoutFunctions(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    auto [before, rest] = text.split('\'');
    result += before;
    // Not an apostrophe, as of "the program's launches".
    bool isQuote = before.empty() || !llvm::isAlnum(before.back());
    auto [quoted, after] = rest.split('\'');
    if (!isQuote || !quoted.contains('('))
      result += '\'';
    else
      rest = after;
    text = rest;
  }
  return result;
}

/// Joins what \p entries, which are sorted, say of several parameters of one
/// function.
template <typename EntryType>
static void joinParameters(std::vector<EntryType> &entries) {
  constexpr llvm::StringLiteral kStart = "parameter '";
  std::vector<EntryType> joined;
  llvm::StringMap<size_t> firsts;
  for (EntryType &entry : entries) {
    llvm::StringRef text = entry.text;
    if (text.consume_front(kStart)) {
      auto [name, rest] = text.split('\'');
      std::string fact;
      llvm::raw_string_ostream(fact)
          << entry.source.file << ':' << entry.source.line << ' ' << entry.pass
          << ' ' << rest;
      auto [first, isNew] = firsts.try_emplace(fact, joined.size());
      if (!isNew) {
        std::string &said = joined[first->second].text;
        constexpr llvm::StringLiteral kSame = "; the same of ";
        said += llvm::StringRef(said).contains(kSame) ? ", " : kSame.str();
        said += "'" + name.str() + "'";
        continue;
      }
    }
    joined.push_back(std::move(entry));
  }
  entries = std::move(joined);
}

/// Joins what \p entries, which are sorted, say of several functions of one
/// line of the source, the instances of a template.
template <typename EntryType>
static void joinInstances(std::vector<EntryType> &entries) {
  std::vector<EntryType> joined;
  llvm::StringMap<size_t> firsts;
  std::vector<size_t> more;
  for (EntryType &entry : entries) {
    std::string fact;
    llvm::raw_string_ostream(fact)
        << entry.source.file << ':' << entry.source.line << ' ' << entry.pass
        << ' ' << withoutFunctions(entry.text);
    auto [first, isNew] = firsts.try_emplace(fact, joined.size());
    if (!isNew && entry.source.line) {
      ++more[first->second];
      continue;
    }
    joined.push_back(std::move(entry));
    more.push_back(0);
  }
  for (size_t i = 0; i < joined.size(); ++i)
    if (more[i])
      joined[i].text += "; the same of " + std::to_string(more[i]) +
                        (more[i] == 1 ? " other instance" : " other instances");
  entries = std::move(joined);
}

/// Leaves the most valuable of \p entries, which are sorted, and returns what
/// is to be said of the others: how many there are of each pass.
template <typename EntryType>
static std::string cutToOverview(std::vector<EntryType> &entries) {
  joinParameters(entries);
  joinInstances(entries);
  llvm::stable_sort(entries, [](const EntryType &a, const EntryType &b) {
    return rankOf(a.pass) < rankOf(b.pass);
  });
  if (entries.size() <= kOverviewRemarks)
    return "";
  std::string rest =
      std::to_string(entries.size() - kOverviewRemarks) + " more remarks:";
  for (size_t at = kOverviewRemarks; at < entries.size();) {
    size_t first = at;
    while (at < entries.size() && entries[at].pass == entries[first].pass)
      ++at;
    rest += (first == kOverviewRemarks ? " " : ", ") + entries[first].pass +
            " " + std::to_string(at - first);
  }
  entries.resize(kOverviewRemarks);
  return rest;
}

std::vector<Diagnostics::Entry> Diagnostics::takeSorted() {
  std::vector<Entry> sorted;
  {
    std::lock_guard guard(lock);
    sorted.swap(entries);
  }
  auto key = [](const Entry &entry) {
    return std::tuple_cat(
        std::tie(entry.input), sourceKey(entry.source),
        std::tie(entry.severity, entry.kind, entry.pass, entry.text));
  };
  llvm::sort(sorted,
             [&](const Entry &a, const Entry &b) { return key(a) < key(b); });
  // The object is not printed where a source line is: code of a header comes in
  // many.
  llvm::StringSet<> printed;
  llvm::erase_if(sorted, [&](const Entry &entry) {
    return !printed.insert(textOf(entry)).second;
  });
  for (RemarkKind kind : kKinds) {
    if (pattern(opts, kind) != kOverview)
      continue;
    auto others = std::stable_partition(
        sorted.begin(), sorted.end(), [&](const Entry &entry) {
          return entry.severity != Severity::Remark || entry.kind != kind;
        });
    std::vector<Entry> remarks(std::make_move_iterator(others),
                               std::make_move_iterator(sorted.end()));
    sorted.erase(others, sorted.end());
    std::string rest = cutToOverview(remarks);
    llvm::move(remarks, std::back_inserter(sorted));
    if (!rest.empty())
      sorted.push_back({Severity::Remark,
                        {},
                        {},
                        kind,
                        kOverview.str(),
                        rest + "; " + flagName(kind) + "=gpulto- prints all"});
  }
  return sorted;
}

void Diagnostics::handOver(Sink sink) {
  for (const Entry &entry : takeSorted()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printPlace(os, entry);
    printText(os, entry);
    sink(entry.severity, os.str());
  }
}

void Diagnostics::print(llvm::raw_ostream &os) {
  for (const Entry &entry : takeSorted()) {
    bool isError = entry.severity == Severity::Error;
    if (isError && opts.errorLimit && errorsPrinted == opts.errorLimit) {
      if (!limitPrinted)
        os << opts.prefix
           << ": error: too many errors emitted, stopping now "
              "(use --error-limit=0 to see all errors)\n";
      limitPrinted = true;
      continue;
    }
    errorsPrinted += isError;
    printEntry(os, entry);
  }
  os.flush();
}

static llvm::remarks::Type remarkType(RemarkKind kind) {
  switch (kind) {
  case RemarkKind::Passed:
    return llvm::remarks::Type::Passed;
  case RemarkKind::Missed:
    return llvm::remarks::Type::Missed;
  case RemarkKind::Analysis:
    break;
  }
  return llvm::remarks::Type::Analysis;
}

static void sortRemarks(std::vector<Remark> &remarks) {
  auto key = [](const Remark &remark) {
    return std::tuple_cat(std::tie(remark.input), sourceKey(remark.where),
                          std::tie(remark.function, remark.kind, remark.pass,
                                   remark.name, remark.text));
  };
  llvm::sort(remarks,
             [&](const Remark &a, const Remark &b) { return key(a) < key(b); });
}

std::vector<Remark> Diagnostics::takeStories() {
  std::vector<Remark> taken;
  {
    std::lock_guard guard(lock);
    taken.swap(stories);
  }
  sortRemarks(taken);
  return taken;
}

llvm::Error Diagnostics::writeRemarks(llvm::StringRef path,
                                      llvm::remarks::Format format) {
  std::lock_guard guard(lock);
  sortRemarks(remarks);
  std::string text;
  llvm::raw_string_ostream os(text);
  auto serializer = llvm::remarks::createRemarkSerializer(format, os);
  if (!serializer)
    return serializer.takeError();
  for (const Remark &remark : remarks) {
    llvm::remarks::Remark out;
    out.RemarkType = remarkType(remark.kind);
    out.PassName = remark.pass;
    out.RemarkName = remark.name;
    out.FunctionName = remark.function;
    if (!remark.where.file.empty())
      out.Loc = llvm::remarks::RemarkLocation{
          remark.where.file, remark.where.line, remark.where.column};
    out.Args.emplace_back();
    out.Args.back().Key = "String";
    out.Args.back().Val = remark.text;
    (*serializer)->emit(out);
  }
  (*serializer)->finalize();
  return writeFileAtomically(path, os.str());
}
