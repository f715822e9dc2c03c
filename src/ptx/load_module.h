// PTX text -> parsed and checked -> analysed, linked and laid out.
#pragma once

#include "base/diagnostics.h"
#include "ptx/module.h"

namespace warptime::ptx {

/// Parses and checks a whole module. nullptr if there were errors; warnings and notes may be there either way. A kernel
/// with something unsupported in it is an error only if no other kernel can run: see Module::unsupported.
std::shared_ptr<const Module> load_module(std::shared_ptr<const SourceText> source, Diagnostics& diagnostics);

}  // namespace warptime::ptx
