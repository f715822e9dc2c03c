// Runs a kernel over a buffer of words, on a machine by name, in time or without.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "unit/host/host_test.h"

namespace warptime::host {

struct WayToRun {
  const char* machine;
  bool functional;
};

/// Runs kernel "k", whose buffer holds `words` before; gives what it holds then.
inline std::vector<uint32_t> run_with_words(const WayToRun& how, const std::string& text, std::vector<uint32_t> words,
                                            uint32_t blocks = 1, uint32_t threads = 32) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(how.machine, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  sim::RunOptions options;
  options.functional = how.functional;
  Device device(loaded->machine, options);
  ModuleRef module = device.load_module(std::make_shared<SourceText>("test.ptx", text));
  Buffer out = device.allocate<uint32_t>(words.size(), "out");
  device.copy_to(out, words, "out");
  device.launch(module, "k", {blocks}, {threads}, {out});
  device.copy_from(words, out, "out");
  return words;
}

}  // namespace warptime::host
