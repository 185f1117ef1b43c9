//===- VersionText.h - What --version prints --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPULTO_LTO_VERSIONTEXT_H
#define GPULTO_LTO_VERSIONTEXT_H

#include <string>

namespace gpulto {

/// Returns "gpulto 0.1.0" or, if this is not the source of a release,
/// "gpulto 0.1.0 (v0.1.0-3-g8321d35d)". Only people read it: notes, keys and
/// formats hold GPULTO_VERSION. What git says of the source is no part of any
/// program, whose digests are in keys; it is the file lib/gpulto/revision of
/// the installed tree, which is missing where the build knew no git.
std::string versionText();

} // namespace gpulto

#endif // GPULTO_LTO_VERSIONTEXT_H
