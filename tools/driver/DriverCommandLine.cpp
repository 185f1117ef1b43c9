//===- DriverCommandLine.cpp - The driver's command line ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The command line is parsed with clang's own table, so that an option's value
// is never taken for an option, abbreviations and aliases are clang's, and new
// options of clang need no change here. gpulto's options are unknown to that
// table; each is one word, so the words clang does not know are read with the
// table of Options.td.
//
// Nothing is rendered from the parsed form: every argument keeps its words, and
// those are passed on.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverCommandLine.h"

#include "support/Error.h"

#include "clang/Driver/Driver.h"
#include "llvm/Support/Path.h"

using namespace llvm;
namespace opts = clang::driver::options;
namespace types = clang::driver::types;

namespace gpulto::driver {

bool DriverInput::isLinkerInput() const { return type == types::TY_Object; }

bool DriverInput::isCompiled() const {
  return !isLinkerInput() && type != types::TY_Asm && type != types::TY_PP_Asm;
}

bool isOwn(const DriverArg &argument) {
  if (argument.is(opts::OPT_UNKNOWN))
    return options::isOwnSpelling(argument.arg->getSpelling());
  // -Wgpulto-skipped: clang takes any word for the name of a warning.
  return argument.is(opts::OPT_W_Group) && argument.arg->getNumValues() == 1 &&
         options::isOwnSpelling(
             (argument.arg->getSpelling() + argument.arg->getValue()).str());
}

bool isGpuLto(const DriverArg &argument) {
  return argument.is(opts::OPT_flto_EQ) &&
         StringRef(argument.arg->getValue()) == "gpu";
}

bool choosesLto(const DriverArg &argument) {
  return argument.is(opts::OPT_flto) || argument.is(opts::OPT_flto_EQ) ||
         argument.is(opts::OPT_fno_lto);
}

Expected<std::unique_ptr<CommandLine>>
CommandLine::parse(ArrayRef<const char *> argv) {
  std::unique_ptr<CommandLine> line(new CommandLine);
  StringRef name = argv.empty() ? "" : sys::path::filename(argv.front());
  StringRef mode = clang::driver::getDriverMode(name, argv.drop_front());
  // clang++, gpulto-clang++, c++ and versions of them (clang++-22).
  line->cxx = mode == "g++" || name.contains("++");
  line->allWords.append(argv.begin() + 1, argv.end());
  if (Error failure = clang::driver::expandResponseFiles(
          line->allWords, /*ClangCLMode=*/false, line->allocator))
    return failure;
  // clang allows null markers between response files' lines; drop them.
  llvm::erase(line->allWords, nullptr);

  unsigned missingIndex = 0, missingCount = 0;
  line->parsed = std::make_unique<opt::InputArgList>(
      clang::driver::getDriverOptTable().ParseArgs(
          line->allWords, missingIndex, missingCount,
          opt::Visibility(opts::ClangOption)));
  line->malformed = missingCount != 0;
  line->collectArguments();
  if (Error failure = line->takeOwn())
    return failure;
  line->collectInputs();
  return line;
}

void CommandLine::collectArguments() {
  for (const opt::Arg *arg : *parsed)
    args.push_back({arg, arg->getIndex(), 0});
  for (size_t i = 0; i < args.size(); ++i)
    args[i].endWord =
        i + 1 < args.size() ? args[i + 1].firstWord : allWords.size();
  for (const DriverArg &argument : args)
    if (choosesLto(argument))
      gpuLto = isGpuLto(argument);
}

Error CommandLine::takeOwn() {
  SmallVector<const char *, 16> words;
  for (const DriverArg &argument : args)
    if (isOwn(argument))
      words.push_back(allWords[argument.firstWord]);
  Expected<options::OwnArgs> taken = options::takeOwnOptions(
      words, options::CompileOption | options::LinkOption);
  if (!taken)
    return taken.takeError();
  own = std::move(*taken);
  return Error::success();
}

/// The type clang gives to a file without -x (clang's Driver::BuildInputs).
static types::ID typeByName(StringRef path, bool cxx) {
  StringRef extension = sys::path::extension(path);
  types::ID type = extension.empty()
                       ? types::TY_INVALID
                       : types::lookupTypeForExtension(extension.drop_front());
  if (type == types::TY_INVALID)
    return types::TY_Object;
  if (!cxx)
    return type;
  // g++ and clang++ take C for C++, but not assembly or IR.
  return types::lookupCXXTypeForCType(type);
}

void CommandLine::addInput(StringRef path, types::ID given, unsigned argIndex,
                           bool afterDashDash) {
  bool typeGiven = given != types::TY_Nothing;
  types::ID type = typeGiven ? given : typeByName(path, cxx);
  files.push_back({path.str(), type, typeGiven, afterDashDash, argIndex});
}

void CommandLine::collectInputs() {
  types::ID given = types::TY_Nothing;
  for (unsigned i = 0; i < args.size(); ++i) {
    const DriverArg &argument = args[i];
    if (argument.is(opts::OPT_x)) {
      given = types::lookupTypeForTypeSpecifier(argument.arg->getValue());
      // -x none goes back to names; clang itself reports an unknown language.
      if (given == types::TY_INVALID)
        given = types::TY_Nothing;
    } else if (argument.is(opts::OPT_INPUT)) {
      addInput(argument.arg->getValue(), given, i, false);
    } else if (argument.is(opts::OPT__DASH_DASH)) {
      for (const char *path : argument.arg->getValues())
        addInput(path, given, i, true);
    }
  }
}

ArrayRef<const char *> CommandLine::wordsOf(const DriverArg &argument) const {
  return ArrayRef(allWords).slice(argument.firstWord,
                                  argument.endWord - argument.firstWord);
}

FinalStep CommandLine::finalStep() const {
  bool compile = false;
  for (const DriverArg &argument : args) {
    if (argument.is(opts::OPT_M) || argument.is(opts::OPT_MM))
      return FinalStep::Other;
    if (!argument.is(opts::OPT_Action_Group))
      continue;
    if (!argument.is(opts::OPT_c))
      return FinalStep::Other;
    compile = true;
  }
  return compile ? FinalStep::Compile : FinalStep::Link;
}

bool CommandLine::hasCudaInput() const {
  return any_of(files, [](const DriverInput &file) { return file.isCuda(); });
}

StringRef CommandLine::ownValue(unsigned id, StringRef otherwise) const {
  return own.args->getLastArgValue(id, otherwise);
}

StringRef CommandLine::output() const {
  return parsed->getLastArgValue(opts::OPT_o);
}

} // namespace gpulto::driver
