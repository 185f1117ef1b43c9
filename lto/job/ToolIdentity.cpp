//===- ToolIdentity.cpp - Which programs make a job's results -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A version is not enough: two builds of one version may differ, and then their
// results may. The build ID, which linkers compute from their output,
// distinguishes them at no cost. All libraries count: LLVM folds calls of the
// math library by calling this machine's.
//
//===----------------------------------------------------------------------===//

#include "lto/job/ToolIdentity.h"

#include "lto/link/Version.h"
#include "support/Subprocess.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Alignment.h"

#include <algorithm>
#include <cstring>
#include <link.h>
#include <string>
#include <vector>

using namespace llvm;

namespace gpulto {

Expected<Digest> digestOfFile(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(path);
  if (!file)
    return file.takeError();
  return digestOf((*file)->getBuffer());
}

/// Returns the build ID in the notes \p bytes, or nothing.
static StringRef findBuildId(StringRef bytes, size_t alignment) {
  while (bytes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    size_t name = alignTo(header.n_namesz, alignment);
    size_t contents = alignTo(header.n_descsz, alignment);
    bytes = bytes.drop_front(sizeof(header));
    if (name > bytes.size() || contents > bytes.size() - name)
      return "";
    if (header.n_type == NT_GNU_BUILD_ID &&
        bytes.take_front(header.n_namesz) == StringRef("GNU\0", 4))
      return bytes.substr(name, header.n_descsz);
    bytes = bytes.drop_front(name + contents);
  }
  return "";
}

/// Returns the build ID of a loaded file, which is in its memory, or nothing.
static StringRef buildIdOf(const dl_phdr_info &info) {
  for (const ElfW(Phdr) &header : ArrayRef(info.dlpi_phdr, info.dlpi_phnum)) {
    if (header.p_type != PT_NOTE)
      continue;
    uintptr_t address = info.dlpi_addr + header.p_vaddr;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells numbers
    auto *notes = reinterpret_cast<const char *>(address);
    constexpr size_t kLeast = 4;
    StringRef id = findBuildId(StringRef(notes, header.p_filesz),
                               std::max<size_t>(header.p_align, kLeast));
    if (!id.empty())
      return id;
  }
  return "";
}

namespace {
struct LoadedFiles {
  std::vector<std::string> buildIds;
  std::vector<std::string> unnamed; // paths of files without one
};
} // namespace

static int noteLoadedFile(dl_phdr_info *info, size_t, void *data) {
  auto &files = *static_cast<LoadedFiles *>(data);
  StringRef name = info->dlpi_name;
  if (!name.empty() && !name.contains('/'))
    return 0; // the kernel's part, no file
  StringRef id = buildIdOf(*info);
  if (!id.empty())
    files.buildIds.push_back(id.str());
  else // the program itself has no name here
    files.unnamed.push_back(name.empty() ? "/proc/self/exe" : name.str());
  return 0;
}

Expected<Digest> identityOfOptimizer() {
  LoadedFiles files;
  dl_iterate_phdr(noteLoadedFile, &files);
  for (const std::string &path : files.unnamed) {
    Expected<Digest> digest = digestOfFile(path);
    if (!digest)
      return digest.takeError();
    files.buildIds.push_back(digest->hex());
  }
  llvm::sort(files.buildIds);
  StableHasher hasher;
  hasher.add(GPULTO_VERSION);
  hasher.add(LLVM_VERSION_STRING);
  for (const std::string &id : files.buildIds)
    hasher.add(id);
  return hasher.finish();
}

} // namespace gpulto
