// The seeds of the fuzz targets, and what fuzzing once found, as ordinary tests: each target comes back from each.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "fuzz/targets.h"

namespace warptime::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> seeds_of(const Target& target) {
  std::vector<std::string> files;
  for (const std::string& folder : target.seeds)
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPTIME_SOURCE_DIR) / folder))
      if (entry.path().extension() == target.extension) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("Fuzz targets come back from their seeds", "[fuzz]") {
  for (const Target& target : targets()) {
    DYNAMIC_SECTION(target.name) {
      std::vector<std::string> files = seeds_of(target);
      CHECK(files.size() >= 8);
      for (const std::string& file : files) {
        CAPTURE(file);
        std::string bytes = seed_bytes(file);
        REQUIRE(!bytes.empty());
        target.run(bytes);
        target.run(std::string_view(bytes).substr(0, bytes.size() / 2));
      }
    }
  }
}

}  // namespace
}  // namespace warptime::fuzz
