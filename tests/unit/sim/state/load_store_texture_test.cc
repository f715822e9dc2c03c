// Texture fetches of whole warps, of parts of one and of several textures at once, against fetches of one lane each:
// the same values, and the same lines in the same order, worked out from the layout's description.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "sim/exec/handler_table.h"
#include "sim/state/load_store.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

/// The line of one texel, by divisions.
Addr texel_line(const TextureConfig& config, const Texture& t, uint64_t x, uint64_t y, uint64_t z) {
  uint64_t line = config.tpc_cache.line_bytes, at = x * t.texel_bytes(), width = uint64_t{t.size[0]} * t.texel_bytes();
  if (!t.tiled) return (t.base + (z * t.size[1] + y) * width + at) / line * line;
  uint64_t line_width = line / config.line_rows, lines_across = config.tile_width_bytes / line_width;
  uint64_t across = (width + config.tile_width_bytes - 1) / config.tile_width_bytes;
  uint64_t down = (t.size[1] + config.tile_rows - 1) / config.tile_rows;
  uint64_t tile = (z * down + y / config.tile_rows) * across + at / config.tile_width_bytes;
  uint64_t in_tile = y % config.tile_rows / config.line_rows * lines_across + at % config.tile_width_bytes / line_width;
  return t.base / line * line + tile * config.tile_width_bytes * config.tile_rows + in_tile * line;
}

struct TextureSetup {
  MachineConfig machine;
  CompiledKernel kernel;
  DeviceMemory memory{1 << 20, 256};
  std::vector<Texture> textures;
  LaunchContext launch;
  std::mt19937 random;
  std::array<ConstantRow, 12> rows{};  // 0, 1: handles; 2 to 4: coordinates; 5 to 8: results
  Insn insn;

  explicit TextureSetup(unsigned seed) : random(seed) {
    machine.texture.line_rows = 1u << pick(3);
    machine.texture.tile_width_bytes = 64u << pick(3);
    machine.texture.tile_rows = 4u << pick(2);
    machine.texture.tpc_cache.line_bytes = 32u << pick(2);
    kernel.module = std::make_shared<const ptx::Module>();
    std::vector<std::string_view> isas = available_isas();
    kernel.textures = handler_table(isas[seed % isas.size()])->textures();
    insn.effect = ptx::Effect::Texture;
    TexturePayload& fetch = insn.set_payload<TexturePayload>();
    fetch.dimensions = static_cast<uint8_t>(1 + pick(3));
    fetch.float_coordinates = pick(4) != 0;
    fetch.handle.is_64 = true;
    for (uint32_t a = 0; a < 3; ++a) insn.src[a] = {(2 + a) * kRowBytes};
    for (uint32_t c = 0; c < 4; ++c) fetch.results[c] = {(5 + c) * kRowBytes};
    add_texture();
    add_texture();
    launch.machine = &machine;
    launch.kernel = &kernel;
    launch.memory = &memory;
    launch.textures = textures;
  }

  uint32_t pick(uint32_t choices) { return static_cast<uint32_t>(random() % choices); }

  void add_texture() {
    Texture t{.bound = true};
    for (uint32_t a = 0; a < insn.texture().dimensions; ++a)
      t.size[a] = 1 + pick(insn.texture().dimensions == 3 ? 12 : 40);
    t.channel = std::array{ptx::Type::F32, ptx::Type::U8, ptx::Type::S16}[pick(3)];
    t.channels = static_cast<uint8_t>(1u << pick(3));
    t.address.fill(
        std::array{AddressMode::Clamp, AddressMode::Wrap, AddressMode::Mirror, AddressMode::Border}[pick(4)]);
    t.filter = pick(2) == 0 ? FilterMode::Linear : FilterMode::Point;
    t.read = t.channel == ptx::Type::F32 ? ReadMode::Element : ReadMode::Normalized;
    t.normalized_coordinates = pick(2) == 0;
    t.tiled = pick(3) != 0;
    t.base = *memory.allocate(t.bytes(), "texture");
    for (uint64_t i = 0; i < t.bytes(); ++i) *memory.at(t.base + i) = static_cast<std::byte>(pick(100));
    textures.push_back(t);
  }

  void choose_lanes() {
    bool mixed = pick(4) == 0, uniform_row = pick(2) == 0;
    uint64_t first = 1 + pick(2);
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      uint64_t handle = mixed ? 1 + pick(2) : first;
      std::memcpy(rows[0].bytes.data() + lane * 8, &handle, 8);
      for (uint32_t a = 0; a < 3; ++a) {
        int32_t whole = static_cast<int32_t>(a == 0 ? lane : uniform_row ? 7 : pick(50)) - 3;
        float x = static_cast<float>(whole) + 0.125f * static_cast<float>(pick(8));
        if (textures[0].normalized_coordinates && textures[1].normalized_coordinates) x /= 40;
        if (insn.texture().float_coordinates) std::memcpy(rows[2 + a].bytes.data() + lane * 4, &x, 4);
        else std::memcpy(rows[2 + a].bytes.data() + lane * 4, &whole, 4);
      }
    }
  }

  /// The lines of one lane's texels, from the positions that are found for it.
  void lines_of(uint32_t lane, std::vector<Addr>& lines) {
    uint64_t handle = 0;
    std::memcpy(&handle, rows[0].bytes.data() + lane * 8, 8);
    const Texture& t = textures[handle - 1];
    WarpTexels texels;
    kernel.textures.find(t, insn, {{rows[0].bytes.data()}, nullptr}, texels);
    uint32_t each = texels.filtered ? 2 : 1;
    auto of_axis = [&](uint32_t a) { return a < insn.texture().dimensions ? each : 1; };
    auto index = [&](uint32_t a, uint32_t i) {
      return a < insn.texture().dimensions ? texels.axis[a].index[i][lane] : 0;
    };
    auto inside = [&](uint32_t a, uint32_t i) {
      return a >= insn.texture().dimensions || ((texels.axis[a].inside[i] >> lane) & 1) != 0;
    };
    for (uint32_t k = 0; k < of_axis(2); ++k)
      for (uint32_t j = 0; j < of_axis(1); ++j)
        for (uint32_t i = 0; i < of_axis(0); ++i) {
          if (!inside(0, i) || !inside(1, j) || !inside(2, k)) continue;
          Addr line = texel_line(machine.texture, t, index(0, i), index(1, j), index(2, k));
          if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
        }
  }
};

}  // namespace

TEST_CASE("a texture fetch of any lanes gives the values and lines of its lanes one by one") {
  uint32_t lines_seen = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    TextureSetup setup(seed);
    ResidentKernel kernel(setup.launch);
    LoadStore unit(setup.machine, setup.memory, 0);
    Warp warp;
    warp.kernel = &kernel;
    warp.values.areas[0] = setup.rows[0].bytes.data();
    for (int i = 0; i < 4; ++i) {
      setup.choose_lanes();
      uint32_t mask = setup.pick(3) == 0 ? static_cast<uint32_t>(setup.random()) | 1 : kFullMask;
      std::vector<Addr> expected_lines;
      for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        setup.lines_of(static_cast<uint32_t>(std::countr_zero(rest)), expected_lines);

      MemoryAccess access;
      FaultRecord fault;
      auto before = setup.rows;
      REQUIRE(unit.texture(setup.insn, warp, mask, access, fault));
      auto together = setup.rows;
      std::vector<Addr> lines;
      for (uint32_t l = 0; l < access.count; ++l) lines.push_back(access.transactions[l].address);
      INFO("seed " << seed << ", fetch " << i);
      CHECK(lines == expected_lines);
      lines_seen += access.count;

      setup.rows = before;
      for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        REQUIRE(unit.texture(setup.insn, warp, rest & (~rest + 1), access, fault));
      CHECK(std::memcmp(&setup.rows, &together, sizeof together) == 0);
      setup.rows = before;
    }
  }
  CHECK(lines_seen > 10000);
}

TEST_CASE("the first lane whose texture is not bound is a fault") {
  TextureSetup setup(1);
  setup.textures[1].bound = false;
  ResidentKernel kernel(setup.launch);
  LoadStore unit(setup.machine, setup.memory, 0);
  Warp warp;
  warp.kernel = &kernel;
  warp.values.areas[0] = setup.rows[0].bytes.data();
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    uint64_t handle = lane < 9 ? 1 : 2;
    std::memcpy(setup.rows[0].bytes.data() + lane * 8, &handle, 8);
  }
  MemoryAccess access;
  FaultRecord fault;
  CHECK_FALSE(unit.texture(setup.insn, warp, kFullMask, access, fault));
  CHECK(fault.raised);
  CHECK(fault.thread == 9);
  CHECK(fault.address == 2);
  CHECK(unit.texture(setup.insn, warp, 0x1ff, access, fault));
}
