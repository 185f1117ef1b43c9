//===- DeviceLink.cpp - Join device partitions by hand, for tests ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   gpulto-device-link --arch=sm_90 -o DIR [--kernel=STUB:NAME]
//       [--variable=HOST:NAME:BYTES] [--managed=HOST:POINTER:NAME:BYTES]
//       [--embed=ptx|cubin|both] [--cuda=ROOT] PREFIX...
//
// Joins what `gpulto ltrans -o PREFIX` made and writes DIR/all.ptx,
// DIR/all.cubin and the registration object DIR/registration.o.
//
//===----------------------------------------------------------------------===//

#include "lto/devicelink/DeviceLink.h"

#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gpulto;

static cl::list<std::string> prefixes(cl::Positional);
static cl::opt<std::string> arch("arch", cl::init("sm_90"));
static cl::opt<std::string> outputDirectory("o", cl::Required);
static cl::opt<std::string> cuda("cuda");
static cl::opt<bool> useNvlink("nvlink", cl::init(true));
static cl::opt<EmbedKind>
    embed("embed", cl::init(EmbedKind::Both),
          cl::values(clEnumValN(EmbedKind::Ptx, "ptx", ""),
                     clEnumValN(EmbedKind::Cubin, "cubin", ""),
                     clEnumValN(EmbedKind::Both, "both", "")));
static cl::list<std::string> kernels("kernel"), variables("variable"),
    managed("managed");

static std::vector<RegistrationEntry> entries() {
  std::vector<RegistrationEntry> result;
  auto add = [&](OffloadEntry::Kind kind, StringRef text) {
    SmallVector<StringRef> fields;
    text.split(fields, ':');
    RegistrationEntry entry;
    entry.kind = kind;
    entry.hostSymbol = fields[0];
    entry.deviceName = fields[1];
    if (fields.size() > 2)
      fields[2].getAsInteger(10, entry.sizeBytes);
    result.push_back(entry);
  };
  for (const std::string &text : kernels)
    add(OffloadEntry::Kind::Kernel, text);
  for (const std::string &text : variables)
    add(OffloadEntry::Kind::Variable, text);
  for (const std::string &text : managed)
    add(OffloadEntry::Kind::Managed, text);
  return result;
}

int main(int argc, char **argv) {
  ExitOnError exitOnError("gpulto-device-link: ");
  cl::ParseCommandLineOptions(argc, argv);
  exitOnError(errorCodeToError(sys::fs::create_directories(outputDirectory)));
  CudaTools tools;
  if (!cuda.empty()) {
    tools.root = cuda;
    tools.ptxas = cuda + "/bin/ptxas";
    if (useNvlink)
      tools.nvlink = cuda + "/bin/nvlink";
  }
  std::vector<LtransResultPaths> results;
  for (const std::string &prefix : prefixes) {
    LtransResultPaths paths;
    paths.ptx = prefix + ".ptx";
    if (sys::fs::exists(prefix + ".cubin"))
      paths.cubin = prefix + ".cubin";
    results.push_back(paths);
  }
  DeviceProgram program = exitOnError(
      linkDevicePartitions(arch, results, {}, tools, embed, outputDirectory));
  auto write = [&](StringRef name, StringRef contents) {
    exitOnError(
        writeFileAtomically((outputDirectory + "/" + name).str(), contents));
  };
  if (!program.ptx.empty())
    write("all.ptx", program.ptx);
  if (!program.cubin.empty())
    write("all.cubin", program.cubin);
  constexpr StringLiteral kTriple = "x86_64-pc-linux-gnu";
  FatbinaryObject fatbinary = exitOnError(makeFatbinaryObject(
      {std::move(program)}, kTriple, ImageCompression::Zstd, /*threads=*/1));
  write("fatbin.o", fatbinary.object);
  HostCodegenOptions codegen;
  std::vector<RegistrationEntry> registered = entries();
  write("registration.o",
        exitOnError(makeRegistrationObject(
            RegistrationUnit{fatbinary.symbol, registered, {}, {}},
            /*usesManaged=*/!managed.empty(), codegen, kTriple,
            "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-"
            "n8:16:32:64-S128")));
}
