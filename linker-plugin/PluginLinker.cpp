//===- PluginLinker.cpp - What a linker offers its plugin -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/PluginLinker.h"

namespace gpulto {
namespace {

OutputKind outputKind(int value) {
  switch (value) {
  case LDPO_REL:
    return OutputKind::Relocatable;
  case LDPO_DYN:
    return OutputKind::Shared;
  case LDPO_PIE:
    return OutputKind::PieExecutable;
  default:
    return OutputKind::Executable;
  }
}

} // namespace

void PluginLinker::offerGetSymbols(int version,
                                   ld_plugin_get_symbols function) {
  if (version <= getSymbolsVersion)
    return;
  getSymbols = function;
  getSymbolsVersion = version;
}

void PluginLinker::offer(const ld_plugin_tv &tag) {
  switch (tag.tv_tag) {
  case LDPT_GOLD_VERSION:
    isGold = true;
    break;
  case LDPT_LINKER_OUTPUT:
    output = outputKind(tag.tv_u.tv_val);
    break;
  case LDPT_OUTPUT_NAME:
    outputFile = tag.tv_u.tv_string;
    break;
  case LDPT_OPTION:
    arguments.push_back(tag.tv_u.tv_string);
    break;
  case LDPT_REGISTER_CLAIM_FILE_HOOK:
    registerClaimFile = tag.tv_u.tv_register_claim_file;
    break;
  case LDPT_REGISTER_ALL_SYMBOLS_READ_HOOK:
    registerAllSymbolsRead = tag.tv_u.tv_register_all_symbols_read;
    break;
  case LDPT_REGISTER_CLEANUP_HOOK:
    registerCleanup = tag.tv_u.tv_register_cleanup;
    break;
  case LDPT_ADD_SYMBOLS_V2: // understands symbol_type and section_kind
  case LDPT_ADD_SYMBOLS:
    addSymbols = tag.tv_u.tv_add_symbols;
    break;
  case LDPT_GET_SYMBOLS:
    offerGetSymbols(1, tag.tv_u.tv_get_symbols);
    break;
  case LDPT_GET_SYMBOLS_V2:
    offerGetSymbols(2, tag.tv_u.tv_get_symbols);
    break;
  case LDPT_GET_SYMBOLS_V3:
    offerGetSymbols(3, tag.tv_u.tv_get_symbols);
    break;
  case LDPT_ADD_INPUT_FILE:
    addInputFile = tag.tv_u.tv_add_input_file;
    break;
  case LDPT_GET_WRAP_SYMBOLS:
    getWrapSymbols = tag.tv_u.tv_get_wrap_symbols;
    break;
  case LDPT_MESSAGE:
    message = tag.tv_u.tv_message;
    break;
  default:
    break;
  }
}

} // namespace gpulto
