// What is fuzzed, as functions of the bytes: one for each text that users hand to warptime. Each must come back, with
// everything freed, whatever the bytes are. libFuzzer calls them (tests/tools/fuzz_main.cc), and so do ordinary tests
// with the seeds and with what fuzzing once found (seeds_test.cc).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptime::fuzz {

/// PTX: load, print, load what was printed, print it again; report and native listing.
void ptx_text(std::string_view bytes);
/// A machine file: load, write out, load what was written.
void machine_file(std::string_view bytes);
/// A launch file, with the files that it names.
void launch_file(std::string_view bytes);

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
  std::vector<std::string> seeds;  // folders below the repository, searched to the bottom
  std::string_view extension;
};
const std::vector<Target>& targets();

/// The bytes of a seed: of a text case (tests/ptx), those before what is expected.
std::string seed_bytes(const std::string& path);

}  // namespace warptime::fuzz
