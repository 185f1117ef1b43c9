//===- PluginLinker.h - What a linker offers its plugin ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GPULTO_LINKER_PLUGIN_PLUGINLINKER_H
#define GPULTO_LINKER_PLUGIN_PLUGINLINKER_H

#include "lto/Pipeline.h"

#include <string>
#include <vector>

// The header includes <stdint.h> only if this is defined.
#ifndef HAVE_STDINT_H
#define HAVE_STDINT_H 1
#endif
#include <plugin-api.h>

namespace gpulto {

/// What the program that loaded the plugin offers and passes (plugin-api.h):
/// bfd, gold, or a tool that only needs symbols. Functions not offered are
/// null.
struct PluginLinker {
  ld_plugin_register_claim_file registerClaimFile = nullptr;
  ld_plugin_register_all_symbols_read registerAllSymbolsRead = nullptr;
  ld_plugin_register_cleanup registerCleanup = nullptr;
  ld_plugin_add_symbols addSymbols = nullptr;
  /// The newest version offered; from 3 on it reports files that are not
  /// linked.
  ld_plugin_get_symbols getSymbols = nullptr;
  int getSymbolsVersion = 0;
  ld_plugin_add_input_file addInputFile = nullptr;
  ld_plugin_get_wrap_symbols getWrapSymbols = nullptr;
  ld_plugin_message message = nullptr;

  bool isGold = false;
  OutputKind output = OutputKind::Executable;
  std::string outputFile = "a.out";
  std::vector<std::string> arguments; ///< of -plugin-opt

  /// Processes one entry of the argument of onload.
  void offer(const ld_plugin_tv &tag);

private:
  void offerGetSymbols(int version, ld_plugin_get_symbols function);
};

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_PLUGINLINKER_H
