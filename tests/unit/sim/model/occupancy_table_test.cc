// Occupancy of the later machines at thousands of points, against tables that do not come from this program (their
// first lines say from where).
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "sim/model/machine_loader.h"
#include "sim/model/occupancy.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

struct Point {
  uint32_t registers, threads, shared, blocks;
};

std::vector<Point> points_of(const std::string& table) {
  std::ifstream file(WARPTIME_SOURCE_DIR "/tests/unit/sim/model/" + table);
  REQUIRE(file.is_open());
  std::map<std::string, std::vector<uint32_t>> axes;
  std::vector<Point> points;
  size_t row = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    if (const size_t colon = line.find(':'); colon != std::string::npos) {
      words.seekg(static_cast<std::streamoff>(colon + 1));
      for (uint32_t value = 0; words >> value;) axes[line.substr(0, colon)].push_back(value);
      continue;
    }
    const std::vector<uint32_t>& registers = axes["registers"];
    for (uint32_t threads : axes["threads"]) {
      uint32_t blocks = 0;
      REQUIRE(words >> blocks);
      points.push_back({registers[row % registers.size()], threads, axes["shared"].at(row / registers.size()), blocks});
    }
    ++row;
  }
  REQUIRE(row == axes["registers"].size() * axes["shared"].size());
  return points;
}

/// The first point that differs; "": none.
std::string difference(const std::string& machine, const std::string& table) {
  Diagnostics diagnostics;
  auto loaded = load_machine(machine, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded);
  const std::vector<Point> points = points_of(table);
  const uint32_t header = loaded->machine.config.sm.shared.header_bytes;  // which a launch has beside its own bytes
  CHECK(points.size() >= 2000);
  std::string first;
  size_t differing = 0;
  for (const Point& p : points) {
    const uint32_t blocks = occupancy(loaded->machine.config, p.threads, p.registers, p.shared + header).blocks_per_sm;
    if (blocks == p.blocks) continue;
    if (differing++ == 0)
      first = fmt::format("{} registers, {} threads, {} bytes: {} blocks, not {}", p.registers, p.threads, p.shared,
                          blocks, p.blocks);
  }
  return differing == 0 ? "" : fmt::format("{} of {} points, first {}", differing, points.size(), first);
}

}  // namespace

TEST_CASE("occupancy of the Jetson TK1 is that of CUDA's occupancy calculator") {
  CHECK(difference("jetson-tk1", "occupancy_jetson_tk1.txt") == "");
}

TEST_CASE("occupancy of the GeForce GTX 480 is that of the CUDA C Programming Guide") {
  CHECK(difference("geforce-gtx-480", "occupancy_gtx_480.txt") == "");
}

TEST_CASE("occupancy of machines from compute capability 7.0 on is that of CUDA's occupancy calculator") {
  CHECK(difference("v100-sxm", "occupancy_v100_sxm.txt") == "");
  CHECK(difference("t4", "occupancy_t4.txt") == "");
  CHECK(difference("a100-sxm", "occupancy_a100_sxm.txt") == "");
  CHECK(difference("rtx-3070", "occupancy_rtx_3070.txt") == "");
  CHECK(difference("rtx-4090", "occupancy_rtx_4090.txt") == "");
  CHECK(difference("h100-sxm", "occupancy_h100_sxm.txt") == "");
}
