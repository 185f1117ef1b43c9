//===- DriverFatbinary.cpp - A fat binary by itself -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Programs load such files with cuModuleLoad. Nothing is known of the launches,
// so there is nothing to optimize across files: each image is a plain compile.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverFatbinary.h"

#include "tools/driver/DriverArchitectures.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto::driver {

/// The architectures of \p compile, as a compile with -flto=gpu has them.
static Expected<OffloadArchitectures>
architecturesOfCommand(const Command &compile, const CudaToolkit &toolkit) {
  std::vector<const char *> words = {"gpulto-clang++", "-flto=gpu"};
  for (const std::string &word : compile.args)
    words.push_back(word.c_str());
  auto line = CommandLine::parse(words);
  if (!line)
    return line.takeError();
  return offloadArchitectures(**line, toolkit);
}

/// Returns what nvcc -keep appends to the source's name for an image of \p arch
/// (sm_90), one of several if \p isOneOfMany; \p hasBoth: there is PTX as well
/// as a cubin of it.
static std::string nameOfImage(StringRef arch, bool isPtx, bool hasBoth,
                               bool isOneOfMany) {
  std::string name;
  if (isOneOfMany)
    name += (".compute_" + arch.drop_front(strlen("sm_"))).str();
  if (!isPtx && hasBoth)
    name += ("." + arch).str();
  return name + (isPtx ? ".ptx" : ".cubin");
}

Expected<std::vector<Command>>
fatbinaryCommands(const FatbinaryRequest &request, const CudaToolkit &toolkit) {
  Expected<OffloadArchitectures> wanted =
      architecturesOfCommand(request.compile, toolkit);
  if (!wanted)
    return wanted.takeError();
  Command compile = request.compile;
  erase_if(compile.args,
           [](StringRef word) { return word.starts_with("--gpulto-"); });
  std::vector<Command> commands;
  Command join;
  join.program = toolkit.root + "/bin/fatbinary";
  join.addAll({"--create=" + request.output, "-64"});
  if (!request.compression.empty())
    join.add("--compress-mode=" + request.compression);
  SmallString<128> base(request.directory);
  sys::path::append(base, sys::path::stem(request.input.back()));
  for (const auto &[arch, form] : zip_equal(wanted->names, wanted->forms)) {
    if (Error error = checkIsOfClang(arch))
      return std::move(error);
    EmbedKind kind = form.value_or(EmbedKind::Both);
    for (bool isPtx : {false, true}) {
      if (kind == (isPtx ? EmbedKind::Cubin : EmbedKind::Ptx))
        continue;
      std::string file =
          (base + nameOfImage(arch, isPtx, kind == EmbedKind::Both,
                              wanted->names.size() > 1))
              .str();
      Command command = compile;
      command.addAll({"--no-offload-arch=all", "--offload-arch=" + arch,
                      "--offload-device-only", isPtx ? "-S" : "-c"});
      command.addAll(request.input);
      command.addAll({"-o", file});
      commands.push_back(std::move(command));
      join.add("--image3=kind=" + std::string(isPtx ? "ptx" : "elf") +
               ",sm=" + StringRef(arch).drop_front(strlen("sm_")).str() +
               ",file=" + file);
    }
  }
  if (!request.output.empty())
    commands.push_back(std::move(join));
  return commands;
}

} // namespace gpulto::driver
