// Texture fetches: hit, miss, and walks over an image. Clocks are 1 : 1 : 1 and DRAM is not refreshed. A line of 32
// bytes holds 4 x 2 texels of f32.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

// From the request on: 1 cycle in the TPC's port (8 bytes of header), 80 on the way, 1 in the partition's port, 14
// (tRCD), 11 (tCL), 2 (burst), 20 in the partition, 2 in its port (8 + 32 bytes, 32 per cycle), 80 back, 2 in the
// TPC's.
constexpr Cycle kTextureMiss = 1 + 80 + 1 + 14 + 11 + 2 + 20 + 2 + 80 + 2;

MachineConfig texture_machine() {
  MachineConfig machine = small_machine();
  machine.clocks.core_mhz = machine.clocks.memory_mhz = machine.clocks.shader_mhz = 1000;
  machine.dram.tREFI = 0;
  machine.memory.interleave_bytes = 65536;
  machine.texture = {};
  machine.texture.cycles = 38;
  machine.texture.line_rows = 2;
  machine.texture.tile_width_bytes = 64;
  machine.texture.tile_rows = 4;
  machine.texture.tpc_cache = {8192, 32, 4, 200};
  machine.texture.partition_cache = CacheConfig{};
  return machine;
}

/// Lanes walk along one axis at `at` of the other: line 4 fetches, line 5 uses the result.
std::string walk(bool along_x, uint32_t at) {
  return fmt::format(R"(mov.u32 %r1, %tid.x;
cvt.rn.f32.u32 %f1, %r1;
mov.f32 %f2, {}.0;
tex.2d.v4.f32.f32 {{%f4, %f5, %f6, %f7}}, [image, {}];
add.f32 %f8, %f4, %f4;
)",
                     at, along_x ? "{%f1, %f2}" : "{%f2, %f1}");
}

/// walk() and a second walk beside it: lines 6 to 8, the fetch in line 7.
std::string two_walks(bool along_x, uint32_t at, uint32_t then) {
  return walk(along_x, at) + fmt::format(R"(mov.f32 %f2, {}.0;
tex.2d.v4.f32.f32 {{%f9, %f10, %f11, %f12}}, [image, {}];
add.f32 %f13, %f9, %f9;
)",
                                         then, along_x ? "{%f1, %f2}" : "{%f2, %f1}");
}

}  // namespace

TEST_CASE("a texture fetch that misses takes the way to memory, one that hits the cache's latency", "[timing]") {
  SmBench bench(texture_machine(), R"(mov.f32 %f1, 0f40000000;
tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [image, {%f1, %f1}];
add.f32 %f8, %f4, %f4;
tex.2d.v4.f32.f32 {%f9, %f10, %f11, %f12}, [image, {%f1, %f1}];
add.f32 %f13, %f9, %f9;
)");
  Cycle first = bench.issues(2).at(0), second = bench.issues(4).at(0);
  starts_at(bench, 3, first + kTextureMiss);
  CHECK(bench.stalled(3, Stall::TextureDependency) == kTextureMiss - 2);
  starts_at(bench, 5, second + 200);
  CHECK(bench.stalled(5, Stall::TextureDependency) == 200 - 2);
  CHECK(bench.texture_cache().accesses == 2);
  CHECK(bench.texture_cache().hits == 1);
}

TEST_CASE("a texture fetch holds the memory port, and nothing else", "[timing]") {
  SmBench bench(texture_machine(), R"(mov.f32 %f1, 0f40000000;
tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [image, {%f1, %f1}];
add.s32 %r1, %r0, 1;
tex.2d.v4.f32.f32 {%f9, %f10, %f11, %f12}, [image, {%f1, %f1}];
)");
  Cycle first = bench.issues(2).at(0);
  starts_at(bench, 3, first + 2);
  starts_at(bench, 4, first + 38);
  CHECK(bench.stalled(4, Stall::MemoryPortBusy) == 38 - 4);
}

TEST_CASE("a walk along a row and one down a column read the lines of the tiles that they touch", "[timing]") {
  // A row of 32 texels: 8 lines of 4. A column: 16 lines of 2. The first line's data come after kTextureMiss; each
  // further one passes the ports two cycles later.
  SmBench row(texture_machine(), walk(true, 0)), column(texture_machine(), walk(false, 0));
  CHECK(row.texture_cache().misses == 8);
  starts_at(row, 5, row.issues(4).at(0) + kTextureMiss + 7 * 2);
  CHECK(column.texture_cache().misses == 16);
  starts_at(column, 5, column.issues(4).at(0) + kTextureMiss + 15 * 2);
}

TEST_CASE("a second walk beside the first finds its lines", "[timing]") {
  SmBench rows(texture_machine(), two_walks(true, 0, 1)), next_rows(texture_machine(), two_walks(true, 1, 2));
  CHECK(rows.texture_cache().hits == 8);
  starts_at(rows, 8, rows.issues(7).at(0) + 200);
  CHECK(next_rows.texture_cache().hits == 0);  // row 2 lies in other lines
  SmBench columns(texture_machine(), two_walks(false, 0, 3)), next_columns(texture_machine(), two_walks(false, 3, 4));
  CHECK(columns.texture_cache().hits == 16);
  CHECK(next_columns.texture_cache().hits == 0);
}

TEST_CASE("linear memory has no tiles: a row is 4 lines, a column 32", "[timing]") {
  SmBench::Shape shape;
  shape.texture.tiled = false;
  SmBench row(texture_machine(), walk(true, 0), shape), column(texture_machine(), walk(false, 0), shape);
  CHECK(row.texture_cache().misses == 4);
  CHECK(column.texture_cache().misses == 32);
}

TEST_CASE("a linear filter reads the lines of all four texels", "[timing]") {
  // Centre of four texels at (4, 2): each in a line of its own.
  SmBench::Shape shape;
  shape.texture.filter = FilterMode::Linear;
  SmBench bench(texture_machine(), R"(mov.f32 %f1, 0f40800000;
mov.f32 %f2, 0f40000000;
tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [image, {%f1, %f2}];
)",
                shape);
  CHECK(bench.texture_cache().misses == 4);
}

TEST_CASE("what the TPC's texture cache has let go, the chip's still has", "[timing]") {
  MachineConfig machine = texture_machine();
  machine.texture.tpc_cache = {32, 32, 1, 200};  // one line
  machine.texture.partition_cache = {4096, 32, 4, 20};
  SmBench bench(machine, R"(mov.f32 %f1, 0f00000000;
mov.f32 %f2, 0f41000000;
tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [image, {%f1, %f1}];
add.f32 %f8, %f4, %f4;
tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [image, {%f2, %f1}];
add.f32 %f8, %f4, %f4;
tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [image, {%f1, %f1}];
add.f32 %f8, %f4, %f4;
)");
  starts_at(bench, 4, bench.issues(3).at(0) + kTextureMiss);
  // 1 + 80 + 1, the cache's 20, 2 + 80 + 2.
  starts_at(bench, 8, bench.issues(7).at(0) + 186);
}

TEST_CASE("without texture caches every fetch goes to memory", "[timing]") {
  MachineConfig machine = texture_machine();
  machine.texture.tpc_cache = CacheConfig{};
  SmBench bench(machine, two_walks(true, 0, 0));
  CHECK(bench.texture_cache().hits == 0);
  CHECK(bench.texture_cache().misses == 2 * 8);
}

TEST_CASE("outside of the border nothing is read, and it takes as long as a hit", "[timing]") {
  SmBench::Shape shape;
  shape.texture.address.fill(AddressMode::Border);
  SmBench bench(texture_machine(), walk(true, 100), shape);
  CHECK(bench.texture_cache().accesses == 0);
  starts_at(bench, 5, bench.issues(4).at(0) + 200);
}
