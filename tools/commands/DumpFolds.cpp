//===- DumpFolds.cpp - Folds of a linked program as text ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tools/commands/DumpFolds.h"

#include "support/UnitNames.h"


using namespace llvm;

namespace gpulto {

static StringRef wordFor(FoldState state) {
  switch (state) {
  case FoldState::Leads:
    return "leads ";
  case FoldState::Folded:
    return "folded";
  case FoldState::Jumps:
    return "jumps ";
  case FoldState::Stays:
    return "stays ";
  }
  return "";
}

void printFolds(raw_ostream &out, const FoldTable &table) {
  uint64_t members[static_cast<size_t>(FoldState::Last) + 1] = {};
  uint64_t saved = 0;
  for (const FoldTableClass &fold : table.classes) {
    const FoldTableMember &leader = fold.members.front();
    out << "class of " << fold.members.size() << ", "
        << (fold.arch.empty() ? "host" : fold.arch) << ", "
        << leader.instructions << " instructions, about " << leader.sizeBytes
        << " bytes\n";
    for (const FoldTableMember &member : fold.members) {
      ++members[static_cast<size_t>(member.state)];
      if (member.state == FoldState::Folded || member.state == FoldState::Jumps)
        saved += member.sizeBytes;
      out << "  " << wordFor(member.state) << ' ' << member.name;
      if (std::string name = demangled(member.name); name != member.name)
        out << "  " << name;
      if (!member.reason.empty())
        out << ": " << member.reason;
      out << '\n';
    }
  }
  out << table.classes.size()
      << " classes: " << members[static_cast<size_t>(FoldState::Folded)]
      << " folded, " << members[static_cast<size_t>(FoldState::Jumps)]
      << " jump, " << members[static_cast<size_t>(FoldState::Stays)]
      << " stay; about " << saved << " bytes of code less\n";
}

} // namespace gpulto
