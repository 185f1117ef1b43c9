//===- UnknownHandles.h - Handles that nobody follows -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_UNKNOWNHANDLES_H
#define GPULTO_IPA_CALLERS_UNKNOWNHANDLES_H

#include "summary/WpaContext.h"

namespace gpulto {

/// Whether each launch of a kernel of this program by a handle is a LaunchSite,
/// so that a kernel whose handle is not followed is launched where a handle is
/// not known, and nowhere else.
bool areLaunchesSeen(const WpaContext &context);

/// Returns what the host's bitcode does with kernels whose handles it does not
/// name: kQueriesHandle, kSetsHandle (also where it asks which kernel it has).
/// A function that does so and whose address is taken may do it to any.
ReferenceFlags usesOfUnknownHandles(const WpaContext &context);

} // namespace gpulto

#endif
