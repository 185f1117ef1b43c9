//===- ImageRemarksPropagate.cpp - Remarks on several architectures -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A function has a body in each image, and bodies may depend on __CUDA_ARCH__.
// Where all come to the same, one remark is enough (Diagnostics drops equal
// ones); where they do not, it must say of which it speaks.
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/ImageRemarks.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gpulto {

void addKernelRemark(const WpaContext &context, RemarkKind kind, StringRef name,
                     GlobalId kernel, std::string text) {
  if (context.diagnostics.wantsRemark(kind, kLaunchPass))
    addRemark(context, kind, kLaunchPass, name, kernel, std::move(text));
}

ImageRemarks::ImageRemarks(const WpaContext &context, const Callers &callers)
    : context(context), program(context.program) {
  constexpr size_t kHostAndOneMore = 2;
  if (program.images().size() <= kHostAndOneMore)
    return; // nothing needs a name
  for (GlobalId id : callers.bodies())
    if (program.imageOf(id) != kHostImage)
      ++functions[functionKey(id)];
}

/// The same for the bodies of one function in all images.
std::string ImageRemarks::functionKey(GlobalId id) const {
  return std::to_string(program.moduleRef(id).object) + " " +
         program.symbol(id).name.str();
}

std::string ImageRemarks::remarkKey(const Kept &remark) const {
  return functionKey(remark.id) + " " + remark.name + " " + remark.text;
}

void ImageRemarks::add(RemarkKind kind, StringRef pass, StringRef name,
                       GlobalId id, std::string text) {
  kept.push_back({kind, pass.str(), name.str(), id, std::move(text)});
}

void ImageRemarks::say() {
  StringMap<unsigned> images; // looked up only
  StringSet<> seen;           // equal ones of one image count once
  auto isOfSeveral = [&](const Kept &remark) {
    return !functions.empty() && program.imageOf(remark.id) != kHostImage;
  };
  for (const Kept &remark : kept) {
    if (!isOfSeveral(remark))
      continue;
    std::string key = remarkKey(remark);
    std::string image = std::to_string(program.imageOf(remark.id));
    if (seen.insert(image + " " + key).second)
      ++images[key];
  }
  for (Kept &remark : kept) {
    if (isOfSeveral(remark) && images.lookup(remarkKey(remark)) !=
                                   functions.lookup(functionKey(remark.id)))
      remark.text +=
          " for " + program.images()[program.imageOf(remark.id)].arch;
    addRemark(context, remark.kind, remark.pass, remark.name, remark.id,
              std::move(remark.text));
  }
  kept.clear();
}

} // namespace gpulto
