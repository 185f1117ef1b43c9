//===- Run.cpp - gpulto-run: starts a CUDA program without a GPU ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the directory of the replacement libcudart.so.12 and .so.13 and of the
// replacement libcuda.so.1 first on the library path, hands the options over in
// GPULTO_EMULATOR, and becomes the program. With a GPU at hand the program runs
// on it, unchanged, unless
// --emulate or an option that only the emulator has is given.
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/ElfProbe.h"
#include "emulator/runtime/Settings.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

using namespace gpulto::emu;

namespace {

/// Exit codes as env(1) and nohup(1) have them.
constexpr int kExitUsage = 125;
constexpr int kExitCannotRun = 126;
constexpr int kExitNotFound = 127;

struct CommandLine {
  bool emulate = false;
  bool help = false;
  /// Options for the emulator in the form of the environment variable.
  std::string settings;
  Settings parsed; ///< The same, applied.
  /// Index of the program in argv; argc when there is none.
  int program = 0;
};

void printError(const std::string &text) {
  std::fprintf(stderr, "gpulto-run: %s\n", text.c_str());
}

void printHelp() {
  std::printf(
      "usage: gpulto-run [option]... [--] program [argument]...\n\n"
      "Runs a CUDA program that was linked with the shared CUDA runtime\n"
      "(-lcudart, nvcc -cudart shared) and carries PTX, or that uses the\n"
      "driver API (-lcuda) and loads PTX: on the GPU when there is one, else\n"
      "on the emulator.\n\n"
      "  --emulate                 use the emulator even with a GPU; implied\n"
      "                            by every option below\n");
  for (const SettingSpec &spec : settingSpecs()) {
    std::string left = std::string("--") + spec.name;
    if (spec.valueName)
      left += std::string("=") + spec.valueName;
    std::printf("  %-25s %s\n", left.c_str(), spec.help);
  }
  std::printf("  --help                    print this\n\n"
              "The options reach the program in the environment variable %s\n"
              "(name=value;name=value), which is also read without "
              "gpulto-run.\n",
              kSettingsVariable);
}

const SettingSpec *findSpec(const std::string &name) {
  for (const SettingSpec &spec : settingSpecs())
    if (name == spec.name)
      return &spec;
  return nullptr;
}

/// Files are named relative to where gpulto-run starts; the program may change
/// its directory.
std::string absolutePath(const std::string &path) {
  char directory[PATH_MAX];
  if (path.empty() || path[0] == '/' || !getcwd(directory, sizeof(directory)))
    return path;
  return std::string(directory) + "/" + path;
}

/// Reads one option. Returns an empty string, or what is wrong.
std::string parseOption(const std::string &argument, CommandLine &line) {
  size_t equals = argument.find('=');
  std::string name = argument.substr(2, equals - 2);
  const SettingSpec *spec = findSpec(name);
  if (!spec)
    return "unknown option '" + argument + "'; --help lists all";
  bool hasValue = equals != std::string::npos;
  if (spec->valueName && !hasValue)
    return "--" + name + " needs a value: --" + name + "=" + spec->valueName;
  std::string value = hasValue ? argument.substr(equals + 1) : "1";
  if (std::string error = applySetting(line.parsed, name, value);
      !error.empty())
    return "--" + error;
  if (name == "device-code" || name == "counters" || name == "transfers")
    value = absolutePath(value);
  line.settings += name + "=" + escapeSetting(value) + ";";
  line.emulate = true;
  return "";
}

std::string parseCommandLine(int argc, char **argv, CommandLine &line) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    std::string argument = argv[i];
    if (argument == "--") {
      ++i;
      break;
    }
    if (argument == "--help" || argument == "-h")
      line.help = true;
    else if (argument == "--emulate")
      line.emulate = true;
    else if (argument.rfind("--", 0) != 0)
      return "unknown option '" + argument + "'; --help lists all";
    else if (std::string error = parseOption(argument, line); !error.empty())
      return error;
  }
  line.program = i;
  if (line.parsed.accesses && line.parsed.counters.empty())
    return "--accesses needs --counters=FILE.json";
  if (line.parsed.pageableSync && !line.parsed.deferred)
    return "--pageable-sync needs --deferred";
  if (!line.parsed.transfers.empty() && line.parsed.deferred)
    return "--transfers and --deferred exclude each other";
  return "";
}

/// True when the driver is there and finds a device.
bool hasGpu() {
  if (access("/dev/nvidiactl", R_OK | W_OK) != 0)
    return false;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    return false;
  auto initialize =
      reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto countDevices =
      reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuDeviceGetCount"));
  int count = 0;
  return initialize && countDevices && initialize(0) == 0 &&
         countDevices(&count) == 0 && count > 0;
}

/// The runtimes that the emulator stands in for, the newest last.
constexpr const char *kRuntimes[] = {"libcudart.so.12", "libcudart.so.13"};
constexpr const char *kDriver = "libcuda.so.1";
constexpr const char *kNewestRuntime = kRuntimes[std::size(kRuntimes) - 1];

bool standsInFor(const std::string &runtime) {
  return std::find(std::begin(kRuntimes), std::end(kRuntimes), runtime) !=
         std::end(kRuntimes);
}

/// The directory with our runtimes; empty when it cannot be found.
std::string libraryDirectory() {
  char path[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (size <= 0)
    return "";
  std::string bin(path, size);
  bin.resize(bin.rfind('/'));
  for (const char *relative :
       {GPULTO_EMU_BUILT_LIBRARIES, GPULTO_EMU_INSTALLED_LIBRARIES}) {
    std::string directory = bin + "/" + relative;
    char resolved[PATH_MAX];
    if (access((directory + "/" + kNewestRuntime).c_str(), R_OK) == 0 &&
        realpath(directory.c_str(), resolved))
      return resolved;
  }
  return "";
}

/// Finds the program as execvp would; empty when there is none.
std::string findProgram(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return access(name.c_str(), F_OK) == 0 ? name : "";
  const char *path = std::getenv("PATH");
  std::string rest = path ? path : "/bin:/usr/bin";
  while (true) {
    size_t colon = rest.find(':');
    std::string directory = rest.substr(0, colon);
    std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
    if (colon == std::string::npos)
      return "";
    rest.erase(0, colon + 1);
  }
}

/// Tells why a program cannot run on the emulator; empty when it can.
std::string refusal(const std::string &program, const ElfProbe &probe) {
  if (probe.needsCudart && !standsInFor(probe.cudartName))
    return program + " needs " + probe.cudartName +
           ", and the emulator stands in for libcudart.so.12 and "
           "libcudart.so.13; build the program with CUDA 12 or 13";
  if (probe.needsCudart && probe.hasStaticRuntime)
    return program + " has both CUDA runtimes, the static one linked in and " +
           probe.cudartName +
           " as a library, so its calls and its kernels may not meet; link it "
           "with the shared one alone (CMake: "
           "CMAKE_CUDA_RUNTIME_LIBRARY=Shared)";
  // Programs of the driver API may load what they carry themselves.
  bool isOwnLoader = probe.needsDriver && !probe.hasStaticRuntime;
  bool hasCode = probe.hasDeviceCode || probe.hasStaticRuntime;
  if (hasCode && !probe.needsCudart && !probe.importsRegistration &&
      !isOwnLoader)
    return program +
           " is linked with the static CUDA runtime, which the emulator cannot "
           "replace; link it with -lcudart (clang), -cudart shared (nvcc) or "
           "CMAKE_CUDA_RUNTIME_LIBRARY=Shared (CMake)";
  return "";
}

/// Puts \p value in front of a list in the environment.
void prependEnvironment(const char *name, const std::string &value) {
  const char *old = std::getenv(name);
  std::string text = value;
  if (old && *old)
    text += std::string(":") + old;
  setenv(name, text.c_str(), 1);
}

/// Sets the environment for the emulator. False, after a message, when that
/// cannot work.
bool prepareEmulation(const CommandLine &line, const std::string &program) {
  ElfProbe probe = probeElf(program);
  if (std::string reason = refusal(program, probe); !reason.empty()) {
    printError(reason);
    return false;
  }
  std::string directory = libraryDirectory();
  if (directory.empty()) {
    printError(std::string("cannot find ") + kNewestRuntime +
               " of the emulator beside this program");
    return false;
  }
  prependEnvironment("LD_LIBRARY_PATH", directory);
  // DT_RPATH comes before LD_LIBRARY_PATH; a preloaded library before both.
  if (probe.hasRpath) {
    prependEnvironment("LD_PRELOAD",
                       directory + "/" +
                           (probe.needsCudart ? probe.cudartName
                                              : std::string(kNewestRuntime)));
    if (probe.needsDriver)
      prependEnvironment("LD_PRELOAD", directory + "/" + kDriver);
  }
  if (!line.settings.empty()) {
    const char *old = std::getenv(kSettingsVariable);
    std::string text = old ? std::string(old) + ";" : "";
    setenv(kSettingsVariable, (text + line.settings).c_str(), 1);
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  CommandLine line;
  if (std::string error = parseCommandLine(argc, argv, line); !error.empty()) {
    printError(error);
    return kExitUsage;
  }
  if (line.help) {
    printHelp();
    return 0;
  }
  if (line.program >= argc) {
    printError("no program given; --help shows how to use this");
    return kExitUsage;
  }
  std::string program = findProgram(argv[line.program]);
  if (program.empty()) {
    printError(std::string(argv[line.program]) + ": " + std::strerror(ENOENT));
    return kExitNotFound;
  }
  if (line.emulate || !hasGpu())
    if (!prepareEmulation(line, program))
      return kExitCannotRun;
  execv(program.c_str(), argv + line.program);
  printError(program + ": " + std::strerror(errno));
  return kExitCannotRun;
}
