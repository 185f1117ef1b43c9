//===- DriverNvccOptions.cpp - What becomes of nvcc's options -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "support/Error.h"
#include "tools/driver/DriverArchitectures.h"
#include "tools/driver/DriverHostCompiler.h"
#include "tools/driver/DriverNvccTranslator.h"

#include "clang/Options/Options.h"
#include "llvm/Support/CommandLine.h"

#include <cstdlib>

using namespace llvm;
using llvm::opt::Arg;

namespace gpulto::driver::nvcc {

/// What is written for an option: its words, then its value.
struct Rule {
  enum Form {
    Flag,
    Joined,
    Separate,
    JoinedEach,
    SeparateEach,
    Words,   ///< of another tool, a list in which quotes count
    Messages ///< nvcc's numbers of them; clang's names are joined
  };
  unsigned id;
  Form form;
  StringLiteral word;
  StringLiteral before = ""; ///< a word of its own
};

static constexpr Rule kRules[] = {
    {OPT_preprocess, Rule::Flag, "-E"},
    {OPT_dependencies, Rule::Flag, "-M"},
    {OPT_nonsystem_dependencies, Rule::Flag, "-MM"},
    {OPT_dependencies_too, Rule::Flag, "-MD"},
    {OPT_nonsystem_dependencies_too, Rule::Flag, "-MMD"},
    {OPT_dependency_phony, Rule::Flag, "-MP"},
    {OPT_dependency_output, Rule::Separate, "-MF"},
    {OPT_dependency_target, Rule::Separate, "-MT"},
    {OPT_shared, Rule::Flag, "-shared"},
    {OPT_relocatable_link, Rule::Flag, "-r"},
    {OPT_debug, Rule::Flag, "-g"},
    {OPT_profile, Rule::Flag, "-pg"},
    {OPT_no_exceptions, Rule::Flag, "-fno-exceptions"},
    {OPT_no_warnings, Rule::Flag, "-w"},
    {OPT_warning_reorder, Rule::Flag, "-Wreorder"},
    {OPT_warning_declarations, Rule::Flag, "-Wno-deprecated-declarations"},
    {OPT_diag_error, Rule::Messages, "-Werror="},
    {OPT_diag_suppress, Rule::Messages, "-Wno-"},
    {OPT_diag_warn, Rule::Messages, "-Wno-error="},
    {OPT_std, Rule::Joined, "-std="},
    {OPT_template_backtrace, Rule::Joined, "-ftemplate-backtrace-limit="},
    {OPT_template_depth, Rule::Joined, "-ftemplate-depth="},
    {OPT_define_macro, Rule::JoinedEach, "-D"},
    {OPT_undefine_macro, Rule::JoinedEach, "-U"},
    {OPT_include_path, Rule::JoinedEach, "-I"},
    {OPT_pre_include, Rule::SeparateEach, "-include"},
    {OPT_isystem, Rule::SeparateEach, "-isystem"},
    {OPT_library_path, Rule::JoinedEach, "-L"},
    {OPT_linker_options, Rule::Words, "-Xlinker"},
    {OPT_ptxas_options, Rule::Words, "-Xcuda-ptxas"},
    {OPT_maxrregcount, Rule::Joined, "--maxrregcount=", "-Xcuda-ptxas"},
    {OPT_resource_usage, Rule::Flag, "-v", "-Xcuda-ptxas"},
    {OPT_no_compress, Rule::Flag, "--gpulto-compress=none"},
    {OPT_lineinfo, Rule::Flag, "-gline-tables-only", "-Xarch_device"},
    {OPT_relaxed_constexpr, Rule::Flag, "-D__CUDACC_RELAXED_CONSTEXPR__=1"},
    {OPT_extended_lambda, Rule::Flag, "-D__CUDACC_EXTENDED_LAMBDA__=1"},
    {OPT_device_c, Rule::Flag, "-fgpu-rdc"},
    {OPT_dlto, Rule::Flag, "-fgpu-rdc"},
    {OPT_fast_math, Rule::Flag, "-fgpu-approx-transcendentals",
     "-fgpu-flush-denormals-to-zero"},
    {OPT_keep, Rule::Flag, "--gpulto-save-temps"},
    {OPT_keep_directory, Rule::Joined, "--gpulto-save-temps="},
    {OPT_verbose, Rule::Flag, "-v"},
    {OPT_offload_arch, Rule::Joined, "--offload-arch="},
    {OPT_cuda_gpu_arch, Rule::Joined, "--cuda-gpu-arch="},
    {OPT_cuda_include_ptx, Rule::Joined, "--cuda-include-ptx="},
    {OPT_no_cuda_include_ptx, Rule::Joined, "--no-cuda-include-ptx="},
    {OPT_cuda_path, Rule::Joined, "--cuda-path="},
};

/// What is made if such an option is the last.
static constexpr std::pair<unsigned, Product> kProducts[] = {
    {OPT_compile, Product::Object},
    {OPT_device_c, Product::Object},
    {OPT_device_w, Product::Object},
    {OPT_link, Product::Program},
    {OPT_device_link, Product::DeviceLink},
    {OPT_lib, Product::Library},
    {OPT_ptx, Product::Ptx},
    {OPT_cubin, Product::Cubin},
    {OPT_fatbin, Product::Fatbin},
    {OPT_preprocess, Product::Text},
    {OPT_dependencies, Product::Text},
    {OPT_nonsystem_dependencies, Product::Text},
};

std::vector<std::string> splitList(StringRef value) {
  std::vector<std::string> parts(1);
  for (size_t i = 0; i < value.size(); ++i) {
    if (value.substr(i).starts_with("\\,"))
      parts.back() += value[++i];
    else if (value[i] == ',')
      parts.emplace_back();
    else
      parts.back() += value[i];
  }
  llvm::erase(parts, "");
  return parts;
}

StringRef nameOf(const Arg &arg) {
  const Arg *given = arg.getAlias() ? arg.getAlias() : &arg;
  return given->getSpelling().rtrim('=');
}

Error refuse(const Arg &arg, const Twine &why) {
  return makeError("'" + nameOf(arg) + "' cannot be translated: " + why);
}

/// Returns the words of \p list, which nvcc hands to a tool through a shell.
std::vector<std::string> Translator::splitWords(StringRef list) {
  std::vector<std::string> result;
  for (const std::string &part : splitList(list)) {
    SmallVector<const char *> unquoted;
    cl::TokenizeGNUCommandLine(part, saver, unquoted);
    append_range(result, unquoted);
  }
  return result;
}

/// Writes the translation by \p rule of an option with \p value.
void Translator::apply(const Rule &rule, StringRef value) {
  if (!rule.before.empty())
    add(rule.before);
  std::vector<std::string> parts = {value.str()};
  switch (rule.form) {
  case Rule::Flag:
    return add(rule.word);
  case Rule::Messages:
    return addDiagnostics(value, rule.word);
  case Rule::JoinedEach:
  case Rule::SeparateEach:
    parts = splitList(value);
    break;
  case Rule::Words:
    parts = splitWords(value);
    break;
  default:
    break;
  }
  bool isJoined = rule.form == Rule::Joined || rule.form == Rule::JoinedEach;
  for (const std::string &part : parts) {
    if (!isJoined && !rule.word.empty())
      add(rule.word);
    add(isJoined ? rule.word + Twine(part) : Twine(part));
  }
}

/// Whether \p word is an option of GCC's that clang refuses and that means
/// nothing to it: it always does so, or has nothing that this could steer.
static bool isOfGccAlone(StringRef word) {
  static constexpr StringLiteral kWords[] = {
      "-fno-gnu-unique", // clang makes no such symbols
      "-fcanonical-system-headers",
      "-fno-canonical-system-headers",
      "-fext-numeric-literals",
      "-fconcepts", // the standard decides
      "-fno-lifetime-dse",
  };
  static constexpr StringLiteral kBeginnings[] = {
      "-fvar-tracking", "-fno-var-tracking",
      "-fconcepts-diagnostics-depth=", "-flifetime-dse=", "-malign-data="};
  return is_contained(kWords, word) ||
         any_of(kBeginnings,
                [&](StringRef start) { return word.starts_with(start); });
}

/// Adds what nvcc hands to GCC.
void Translator::addCompilerOptions(StringRef list) {
  for (const std::string &word : splitWords(list))
    if (!isOfGccAlone(word))
      add(word);
}

/// GCC's OpenMP library has no entries for code of clang's, LLVM's has those of
/// GCC as well.
void Translator::addLibraries(StringRef list) {
  for (const std::string &name : splitList(list))
    add("-l" + (name == "gomp" ? Twine("omp") : Twine(name)));
}

Expected<bool> Translator::truth(const Arg &arg) const {
  StringRef value = arg.getValue();
  if (value == "true" || value == "false")
    return value == "true";
  return makeError("invalid value '" + value + "' in '" + nameOf(arg) +
                   "', expected one of: true, false");
}

/// Adds \p yes or \p no, as the value of \p arg says.
Error Translator::addChoice(const Arg &arg, StringRef yes, StringRef no) {
  Expected<bool> isOn = truth(arg);
  if (!isOn)
    return isOn.takeError();
  add(*isOn ? yes : no);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static bool isOptionOfClang(StringRef word) {
  unsigned index = 0;
  const char *words[] = {word.data(), ""}; // with a value, where it wants one
  std::unique_ptr<Arg> arg = clang::getDriverOptTable().ParseOneArg(
      opt::InputArgList(std::begin(words), std::end(words)), index,
      opt::Visibility(clang::options::ClangOption));
  return arg && !arg->getOption().matches(clang::options::OPT_INPUT) &&
         !arg->getOption().matches(clang::options::OPT_UNKNOWN);
}

/// What gpulto and clang know and nvcc does not.
Error Translator::translateUnknown(const Arg &arg) {
  std::string word = arg.getAsString(*args);
  bool isOwn = StringRef(word).starts_with("--gpulto-") ||
               StringRef(word).starts_with("-fgpulto-") ||
               StringRef(word).starts_with("-fno-gpulto-");
  if (!isOwn && !args->hasArg(OPT_forward_compiler, OPT_forward_linker,
                              OPT_forward_options)) {
    if (isOptionOfClang(word))
      return makeError("unknown option '" + word +
                       "': nvcc hands it to the host compiler as '-Xcompiler " +
                       word + "'");
    return options::unknownOption(table, word, opt::Visibility());
  }
  add(word);
  return Error::success();
}

/// Returns an error if \p value is not allowed for an option with few values.
static Error checkValue(const Arg &arg, StringRef value) {
  auto check = [&](StringRef what, std::initializer_list<StringRef> known) {
    return is_contained(known, value)
               ? Error::success()
               : refuse(arg, "no " + what + " '" + value + "'");
  };
  switch (arg.getOption().getID()) {
  case OPT_default_stream:
    return check("stream", {"legacy", "null", "per-thread"});
  case OPT_language: // cuda: CMake's word, which takes us for clang
    return check("language", {"cu", "cuda", "c", "c++"});
  case OPT_cudadevrt:
    return check("library", {"none", "static"});
  case OPT_cudart:
    return check("library", {"none", "shared", "static"});
  case OPT_dopt:
    return check("kind", {"on"});
  case OPT_host_linker_script:
    return check("kind", {"use-lcs", "gen-lcs"});
  default:
    return Error::success();
  }
}

Error Translator::translateOne(const Arg &arg) {
  const opt::Option &option = arg.getOption();
  StringRef value = arg.getNumValues() ? arg.getValue() : "";
  if (option.matches(OPT_Ignored))
    return Error::success();
  if (option.matches(OPT_Refused))
    return refuse(arg, whyRefused(arg));
  if (Error error = checkValue(arg, value))
    return error;
  noteOne(arg, value);
  for (const Rule &rule : kRules)
    if (rule.id == option.getID())
      apply(rule, value);
  return addOne(arg, value);
}

/// Records what \p arg says about the commands, if it is not a word of theirs.
void Translator::noteOne(const Arg &arg, StringRef value) {
  unsigned id = arg.getOption().getID();
  for (auto [option, made] : kProducts)
    if (option == id)
      product = made;
  switch (id) {
  case OPT_INPUT: // Meson quotes the program that it wants to be run
    inputs.push_back(value.trim('"').str());
    break;
  case OPT_language:
    language = value == "cu" ? "cuda" : value.str();
    break;
  case OPT_cudadevrt:
    linksDeviceRuntime = value == "static";
    break;
  case OPT_cudart:
    cudart = value.str();
    break;
  default:
    break;
  }
}

/// Adds what \p arg stands for, if that is not in kRules nor read as a whole
/// elsewhere.
Error Translator::addOne(const Arg &arg, StringRef value) {
  switch (arg.getOption().getID()) {
  case OPT_UNKNOWN:
    return translateUnknown(arg);
  case OPT_compiler_options:
    addCompilerOptions(value);
    break;
  case OPT_frontend_options:
    addFrontEndOptions(value);
    break;
  case OPT_library:
    addLibraries(value);
    break;
  case OPT_default_stream:
    addDefaultStream(arg, value);
    break;
  case OPT_ftz:
    return addChoice(arg, "-fgpu-flush-denormals-to-zero",
                     "-fno-gpu-flush-denormals-to-zero");
  case OPT_fmad:
    add("-Xarch_device");
    return addChoice(arg, "-ffp-contract=fast", "-ffp-contract=off");
  case OPT_relocatable:
    return addChoice(arg, "-fgpu-rdc", "-fno-gpu-rdc");
  case OPT_fatbin_options:
    return addFatbinaryOptions(arg);
  case OPT_nvlink_options:
    return addNvlinkOptions(arg);
  case OPT_gencode:
    return addGencode(value);
  case OPT_threads:
  case OPT_split_compile:
  case OPT_split_compile_extended:
    return addJobs(arg, value);
  case OPT_errors:
    return addErrors(arg);
  case OPT_compress_mode:
    return addCompression(arg, value);
  case OPT_opt_info:
    return addOptimizationInfo(arg);
  default:
    break;
  }
  return Error::success();
}

void Translator::addDefaultStream(const Arg &arg, StringRef stream) {
  bool isPerThread = stream == "per-thread";
  // clang's driver hands it on for HIP only.
  add("-Xclang");
  add(Twine("-fgpu-default-stream=") + (isPerThread ? "per-thread" : "legacy"));
  // clang says it to CUDA sources only; nvcc to all, which then call other
  // functions of the runtime.
  if (isPerThread && args->getLastArg(OPT_default_stream) == &arg)
    add("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
}

Error Translator::addJobs(const Arg &arg, StringRef jobs) {
  unsigned count;
  if (jobs.getAsInteger(10, count))
    return refuse(arg, "'" + jobs + "' is no number");
  if (count)
    add("--gpulto-jobs=" + jobs);
  return Error::success();
}

Error Translator::addErrors(const Arg &arg) {
  for (StringRef kind : splitList(arg.getValue())) {
    if (kind == "all-warnings")
      add("-Werror");
    else if (kind == "reorder" || kind == "deprecated-declarations")
      add("-Werror=" + kind);
    // Such a call is an error for clang in any case.
    else if (kind != "cross-execution-space-call")
      return refuse(arg, "clang has no warning of the kind '" + kind + "'");
  }
  return Error::success();
}

/// Adds \p prefix (-Wno-) with clang's name for those of nvcc's messages
/// \p numbers that clang has.
void Translator::addDiagnostics(StringRef numbers, StringRef prefix) {
  for (StringRef number : splitList(numbers))
    // Messages about __shared__ variables whose constructors do not run.
    if (number == "20054" || number == "static_var_with_dynamic_init")
      add(prefix + Twine("cuda-compat"));
}

/// Adds what nvcc's front end is told of messages that clang has, too.
void Translator::addFrontEndOptions(StringRef words) {
  static constexpr std::pair<StringLiteral, StringLiteral> kKinds[] = {
      {"--diag_error=", "-Werror="},
      {"--diag_suppress=", "-Wno-"},
      {"--diag_warning=", "-Wno-error="}};
  for (StringRef word : splitWords(words))
    for (auto [option, prefix] : kKinds)
      if (word.consume_front(option))
        addDiagnostics(word, prefix);
}

/// Adds that images are compressed as \p mode, of fatbinary's
/// --compress-mode=, says.
Error Translator::addCompression(const Arg &arg, StringRef mode) {
  if (!is_contained({"default", "size", "speed", "balance", "none"}, mode))
    return refuse(arg, "no mode '" + mode + "'");
  add("--gpulto-compress=" + mode);
  return Error::success();
}

/// How fat binaries are compressed can be said; what else can be said to
/// fatbinary, which is not run, changes what a program holds.
Error Translator::addFatbinaryOptions(const Arg &arg) {
  for (StringRef word : splitWords(arg.getValue())) {
    auto [name, value] = word.ltrim('-').split('=');
    if (name == "compress-mode") {
      if (Error error = addCompression(arg, value))
        return error;
    } else if (name == "compress-all")
      add("--gpulto-compress=all");
    else if (name == "no-compress" || (name == "compress" && value == "false"))
      add("--gpulto-compress=none");
    else if (name != "compress")
      return refuse(arg,
                    "fatbinary, whose option '" + word + "' is, is not run");
  }
  return Error::success();
}

/// nvlink runs where device code is cut, and then only to join cubins: what it
/// says, and how it optimizes, can be said; what changes what is linked cannot.
Error Translator::addNvlinkOptions(const Arg &arg) {
  static constexpr StringLiteral kWithoutEffect[] = {
      "w",
      "disable-warnings",
      "disable-infos",
      "extra-warnings",
      "extrawarn",
      "suppress-arch-warning",
      "suppress-debug-info",
      "suppress-stack-size-warning",
      "g",
      "debug",
      "O0",
      "O1",
      "O2",
      "O3",
      "use-host-info"};
  for (StringRef word : splitWords(arg.getValue())) {
    StringRef name = word.ltrim('-');
    if (name == "v" || name == "verbose")
      for (StringRef part : {"-Xcuda-ptxas", "-v"})
        add(part);
    else if (!is_contained(kWithoutEffect, name))
      return refuse(arg, "nvlink, whose option '" + word +
                             "' is, does not link the device code");
  }
  return Error::success();
}

/// A link says what it inlines in host code as well.
Error Translator::addOptimizationInfo(const Arg &arg) {
  for (StringRef kind : splitList(arg.getValue()))
    if (kind != "inline")
      return refuse(arg, "no kind '" + kind + "'");
  for (StringRef word : {"-Rpass=inline", "-Rpass-missed=inline"}) {
    add("-Xarch_device");
    add(word);
    linkWords.push_back(word.str());
  }
  return Error::success();
}

/// nvcc compiles device code at level 3 whatever the level of host code is.
void Translator::addLevels() {
  bool isDebug = args->hasArg(OPT_debug, OPT_device_debug);
  StringRef level = args->getLastArgValue(OPT_optimize, isDebug ? "0" : "3");
  add("-O" + level);
  bool isOptimized = args->hasArg(OPT_dopt);
  if (args->hasArg(OPT_device_debug) && isOptimized) {
    add("-Xarch_device");
    add("-gline-tables-only");
  }
  if (args->hasArg(OPT_device_debug) && !isOptimized) {
    add("-D__CUDACC_DEBUG__=1");
    for (StringRef word : {"-g", "-O0"}) {
      add("-Xarch_device");
      add(word);
    }
  } else if (level != "3") {
    add("-Xarch_device");
    add("-O3");
  }
}

/// Returns whether option \p id, --prec-div or --prec-sqrt, is true.
Expected<bool> Translator::isPrecise(unsigned id) const {
  const Arg *arg = args->getLastArg(id);
  return arg ? truth(*arg) : !args->hasArg(OPT_fast_math);
}

/// nvcc hides what a program or library registers.
Error Translator::addVisibility() {
  const Arg *arg = args->getLastArg(OPT_hidden_entities);
  Expected<bool> isHidden = arg ? truth(*arg) : Expected<bool>(true);
  if (!isHidden)
    return isHidden.takeError();
  if (*isHidden)
    add("--gpulto-hidden-entities");
  return Error::success();
}

Error Translator::addPrecision() {
  Expected<bool> division = isPrecise(OPT_prec_div);
  if (!division)
    return division.takeError();
  if (!*division)
    // The second counts where clang generates code: for --ptx and --cubin.
    for (StringRef word : {"-fapprox-func", "-mllvm=-nvptx-prec-divf32=0"}) {
      add("-Xarch_device");
      add(word);
    }
  Expected<bool> squareRoot = isPrecise(OPT_prec_sqrt);
  if (!squareRoot)
    return squareRoot.takeError();
  // clang's sqrtf calls the former, in which LLVM 19 never takes the precise
  // one (__CUDA_PREC_SQRT in NVVMReflect).
  if (*squareRoot)
    add("-D__nv_sqrtf=__nv_fsqrt_rn");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Architectures
//===----------------------------------------------------------------------===//

/// Adds code \p code (sm_90, compute_90, lto_90) of source compiled for
/// \p virtualArch (compute_90).
Error Translator::addCode(StringRef virtualArch, StringRef code) {
  StringRef wanted = virtualArch, number = code;
  if (!wanted.consume_front("compute_") && !wanted.consume_front("sm_"))
    return makeError("architecture '" + virtualArch +
                     "' cannot be translated: name one, as sm_90");
  bool isPtx = number.consume_front("compute_");
  if (!isPtx && !number.consume_front("sm_") && !number.consume_front("lto_"))
    return makeError("code '" + code +
                     "' cannot be translated: expected sm_, compute_ or lto_");
  if (wanted != number)
    return makeError("code '" + code + "' of architecture '" + virtualArch +
                     "' cannot be translated: the source is compiled for the "
                     "architecture of its code; write arch=compute_" +
                     number);
  Forms &forms = architectures[number];
  (isPtx ? forms.ptx : forms.cubin) = true;
  return Error::success();
}

/// Reads `arch=compute_90,code=[sm_90,compute_90]`.
Error Translator::addGencode(StringRef specification) {
  auto malformed = [&] {
    return makeError("'-gencode " + specification +
                     "' cannot be translated: expected "
                     "arch=compute_<N>,code=<code>");
  };
  StringRef rest = specification;
  if (!rest.consume_front("arch="))
    return malformed();
  auto [virtualArch, codes] = rest.split(',');
  if (!codes.consume_front("code="))
    return malformed();
  codes = codes.trim("[]\"");
  for (const std::string &code : splitList(codes))
    if (Error error = addCode(virtualArch, saver.save(code)))
      return error;
  return Error::success();
}

/// Adds what -arch=\p value asks for, with -code \p codes if given.
Error Translator::addArch(StringRef value, const Arg *codes) {
  if (value == "native" || value == "all" || value == "all-major") {
    if (codes)
      return refuse(*codes, "'-arch=" + value + "' says which code it is");
    add("--offload-arch=" + value);
    return Error::success();
  }
  if (codes) {
    for (const std::string &code : splitList(codes->getValue()))
      if (Error error = addCode(value, saver.save(code)))
        return error;
    return Error::success();
  }
  StringRef number = value;
  if (number.consume_front("lto_"))
    return addCode(saver.save("compute_" + number), value);
  if (Error error = addCode(value, value))
    return error;
  if (!number.consume_front("sm_"))
    return Error::success();
  // Beside sm_90a, PTX of sm_90 too, as nvcc does it.
  architectures[number].ptx = true;
  if (!makesOneImage())
    architectures[number.rtrim("af")].ptx = true;
  return Error::success();
}

/// Whether a file with PTX or a cubin is made, of one architecture.
bool Translator::makesOneImage() const {
  return product == Product::Ptx || product == Product::Cubin;
}

/// Adds the one architecture of an image that clang makes by itself, for which
/// it knows real ones only.
Error Translator::addArchitectureOfImage() {
  if (architectures.empty())
    return Error::success();
  StringRef name = product == Product::Ptx ? "-ptx" : "-cubin";
  auto [number, forms] = architectures.front();
  if (architectures.size() > 1)
    return makeError("'" + name + "' makes code of one architecture, but " +
                     Twine(architectures.size()) +
                     " are asked for; -fatbin holds several");
  if (product == Product::Cubin && !forms.cubin)
    return makeError("'-cubin' makes code of a GPU, but the code of compute_" +
                     number + " is asked for; name sm_" + number);
  if (Error error = checkIsOfClang(("sm_" + number).str()))
    return error;
  add("--offload-arch=sm_" + number);
  return Error::success();
}

Error Translator::addArchitectures() {
  if (const Arg *arg = args->getLastArg(OPT_arch))
    if (Error error = addArch(arg->getValue(), args->getLastArg(OPT_gpu_code)))
      return error;
  if (makesOneImage())
    return addArchitectureOfImage();
  for (const auto &[number, forms] : architectures) {
    add(Twine("--offload-arch=") + (forms.cubin ? "sm_" : "compute_") + number);
    if (forms.cubin)
      add(Twine(forms.ptx ? "--cuda-include-ptx=sm_"
                          : "--no-cuda-include-ptx=sm_") +
          number);
  }
  return Error::success();
}

/// The last -ccbin counts, before that of the environment.
Error Translator::addHostCompiler() {
  const char *variable = std::getenv("NVCC_CCBIN");
  const Arg *arg = args->getLastArg(OPT_compiler_bindir);
  if (!arg && (!variable || !*variable))
    return Error::success();
  Expected<std::vector<std::string>> words = wordsForHostCompiler(
      arg ? arg->getValue() : variable, arg ? nameOf(*arg) : "NVCC_CCBIN");
  if (!words)
    return words.takeError();
  append_range(translated, *words);
  return Error::success();
}

Error Translator::translate() {
  for (const Arg *arg : *args)
    if (Error error = translateOne(*arg))
      return error;
  if (Error error = addHostCompiler())
    return error;
  addLevels();
  if (Error error = addPrecision())
    return error;
  if (Error error = addVisibility())
    return error;
  return addArchitectures();
}

} // namespace gpulto::driver::nvcc
