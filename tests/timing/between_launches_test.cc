// What a launch finds in caches and open rows of the one before it, kind by kind, in exact cycles. Clocks are 1 : 1 :
// 1, and DRAM is not refreshed unless a test says so.
#include <catch2/catch.hpp>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr Cycle kColdLine = 217, kColdL1Line = kColdLine + 8, kColdTexels = 213;  // cache_test.cc, texture_test.cc
constexpr uint64_t kBufferBytes = 1 << 17;

const char* const kReaders = R"(.version 6.4
.target sm_75
.address_size 64
.const .align 16 .b8 table[1024];
.global .align 4 .b8 variable[4];
.global .texref image;
.visible .entry read(.param .u64 a, .param .u64 b, .param .u64 c)
{
.reg .b32 %r<8>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];
ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1;
ld.global.u32 %r2, [%rd2]; add.u32 %r2, %r2, 1;
ld.global.u32 %r3, [%rd3]; add.u32 %r3, %r3, 1;
ret;
}
.visible .entry write(.param .u64 a)
{
.reg .b32 %r<2>; .reg .b64 %rd<2>;
ld.param.u64 %rd1, [a]; mov.u32 %r1, 7; st.global.u32 [%rd1], %r1;
ret;
}
.visible .entry constant()
{
.reg .b32 %r<2>;
ld.const.u32 %r1, [table]; add.u32 %r1, %r1, 1;
ret;
}
.visible .entry other()
{
.reg .b32 %r<2>;
ld.const.u32 %r1, [table]; add.u32 %r1, %r1, 1;
ret;
}
.visible .entry fetch()
{
.reg .b32 %r<8>;
mov.u32 %r1, 0; tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [image, {%r1}]; add.u32 %r6, %r2, 1;
ret;
}
)";

MachineConfig no_caches() {
  MachineConfig machine = small_machine();
  machine.clocks.core_mhz = machine.clocks.memory_mhz = machine.clocks.shader_mhz = 1000;
  machine.dram.tREFI = 0;
  machine.memory.interleave_bytes = 65536;
  machine.constant.partition_cache = machine.instruction.partition_cache = machine.texture.partition_cache = {};
  machine.texture.tpc_cache = {};
  return machine;
}

MachineConfig with_l1(CacheConfig cache = {4096, 128, 4, 40}) {
  MachineConfig machine = no_caches();
  machine.memory.coalescing = "2.x";
  machine.l1.cache = cache;
  machine.chip.caches_between_launches.l1 = CacheContents::keep;
  return machine;
}

MachineConfig with_l2() {
  MachineConfig machine = no_caches();
  machine.l2.cache = {65536, 64, 4, 30};
  machine.chip.caches_between_launches.l2 = CacheContents::keep;
  return machine;
}

MachineConfig with_constants() {
  MachineConfig machine = no_caches();
  machine.constant.sm_cache = {128, 64, 1, 0};
  machine.chip.caches_between_launches.constant = CacheContents::keep;
  return machine;
}

MachineConfig with_instructions() {
  MachineConfig machine = no_caches();
  machine.instruction.sm_cache = {4096, 64, 4, 0};
  machine.chip.caches_between_launches.instruction = CacheContents::keep;
  return machine;
}

MachineConfig with_textures() {
  MachineConfig machine = no_caches();
  machine.texture.cycles = 38;
  machine.texture.tpc_cache = {8192, 32, 4, 200};
  machine.chip.caches_between_launches.l1 = CacheContents::keep;
  return machine;
}

MachineConfig with_rows() {
  MachineConfig machine = no_caches();
  machine.dram.rows_between_launches = OpenRows::keep;
  return machine;
}

class WarmChip {
 public:
  explicit WarmChip(const MachineConfig& machine) : device({.name = "chip", .config = machine, .hash = {}}, {}) {
    module = device.load_module(std::make_shared<SourceText>("kernels.ptx", kReaders));
    buffer = device.allocate_bytes(kBufferBytes, "buffer", 65536);
    Texture texture;
    texture.base = buffer.address;
    texture.size = {64, 1, 1};
    texture.channel = ptx::Type::U32;
    texture.tiled = false;
    device.bind_texture(module, "image", texture);
  }

  LaunchStatistics launch(std::string_view kernel, const std::vector<host::Argument>& arguments = {}) {
    return device.launch(module, kernel, {1}, {1}, arguments).counted();
  }
  host::Argument at(uint64_t offset) const { return host::Buffer{buffer.address + offset, 4}; }
  LaunchStatistics read(uint64_t a, uint64_t b, uint64_t c) { return launch("read", {at(a), at(b), at(c)}); }
  Cycle read(uint64_t a) { return read(a, a, a).cycles; }
  void write(uint64_t offset) {
    const std::byte value{};
    device.write_bytes(buffer.address + offset, std::span(&value, 1));
  }

  host::Device device;
  host::ModuleRef module;
  host::Buffer buffer;
};

MachineConfig with_nothing_kept(MachineConfig machine) {
  machine.chip.caches_between_launches = {};
  machine.dram.rows_between_launches = OpenRows::close;
  return machine;
}

}  // namespace

TEST_CASE("the second launch saves what the first one's misses took, where the machine keeps it", "[timing]") {
  struct Kind {
    const char* kernel;
    MachineConfig machine;
    Cycle saved;
  };
  const Kind kinds[] = {
      {"read", with_l1(), kColdL1Line - 40},
      {"read", with_l2(), 14 + 2 + 11 + 2 + 20 - 30},  // tRCD, tCCD, tCL, burst, pipeline; the L2's latency
      {"constant", with_constants(), kColdLine},
      {"constant", with_instructions(), kColdLine},
      {"fetch", with_textures(), kColdTexels - 200},
      {"read", with_rows(), 14},
  };
  for (size_t i = 0; i < std::size(kinds); ++i) {
    CAPTURE(i);
    const Kind& kind = kinds[i];
    for (bool kept : {true, false}) {
      CAPTURE(kept);
      WarmChip chip(kept ? kind.machine : with_nothing_kept(kind.machine));
      std::vector<host::Argument> arguments;
      if (kind.kernel == std::string_view("read")) arguments.assign(3, chip.at(0));
      const Cycle first = chip.launch(kind.kernel, arguments).cycles;
      CHECK(chip.launch(kind.kernel, arguments).cycles == (kept ? first - kind.saved : first));
      CHECK(chip.launch(kind.kernel, arguments).cycles == (kept ? first - kind.saved : first));
    }
  }
}

TEST_CASE("a launch counts its own hits and misses only", "[timing]") {
  WarmChip chip(with_l1());
  const DataCacheStats first = chip.read(0, 0, 0).caches.l1, second = chip.read(0, 0, 128).caches.l1;
  CHECK(first.hits == 2);
  CHECK(first.misses == 1);
  CHECK(second.hits == 2);
  CHECK(second.misses == 1);
  WarmChip rows(with_rows());
  CHECK(rows.read(0, 0, 0).dram.row_misses == 1);
  CHECK(rows.read(0, 0, 0).dram.row_misses == 0);
}

TEST_CASE("the order of use survives between launches", "[timing]") {
  for (bool last_used : {true, false}) {
    CAPTURE(last_used);
    WarmChip chip(with_l1({256, 128, 2, 40}));  // one set
    chip.read(0, 128, 0);
    chip.read(256);  // evicts 128
    CHECK(chip.read(last_used ? 0 : 128, 256, 256).caches.l1.hits == (last_used ? 3 : 2));
  }
}

TEST_CASE("what the host writes is no longer in an L1 or a texture cache, but in an L2", "[timing]") {
  WarmChip l1(with_l1());
  const Cycle cold = l1.read(0), warm = l1.read(0);
  l1.write(128);
  CHECK(l1.read(0) == warm);
  l1.write(127);
  CHECK(l1.read(0) == cold);
  CHECK(l1.read(0) == warm);
  l1.device.fill_bytes(l1.buffer, 1, kBufferBytes, "all");
  CHECK(l1.read(0) == cold);
  l1.device.copy_on_device(l1.buffer, {l1.buffer.address + 4096, 4096}, 64, "copy");
  CHECK(l1.read(0) == cold);

  WarmChip textures(with_textures());
  const Cycle first = textures.launch("fetch").cycles, second = textures.launch("fetch").cycles;
  CHECK(second < first);
  textures.write(kBufferBytes - 1);  // of the same buffer: texels of an array are in another order than its bytes
  CHECK(textures.launch("fetch").cycles == first);

  WarmChip l2(with_l2());
  l2.read(0);
  const Cycle hit = l2.read(0);
  l2.write(0);
  CHECK(l2.read(0) == hit);
}

TEST_CASE("a partition's texture cache loses what the host writes", "[timing]") {
  MachineConfig machine = with_textures();
  machine.texture.tpc_cache = {};
  machine.texture.partition_cache = {8192, 32, 4, 20};
  machine.chip.caches_between_launches.l2 = CacheContents::keep;
  WarmChip chip(machine);
  const Cycle first = chip.launch("fetch").cycles, second = chip.launch("fetch").cycles;
  CHECK(second == first - (14 + 11 + 2 + 20 - 20));
  chip.write(0);
  CHECK(chip.launch("fetch").cycles == first);
}

TEST_CASE("constants that the host sets, and parameters, come from memory again", "[timing]") {
  WarmChip chip(with_constants());
  const Cycle first = chip.launch("constant").cycles, second = chip.launch("constant").cycles;
  chip.device.set_symbol(chip.module, "variable", std::vector<std::byte>(4));
  CHECK(chip.launch("constant").cycles == second);
  chip.device.set_symbol(chip.module, "table", std::vector<std::byte>(1024));
  CHECK(chip.launch("constant").cycles == first);

  MachineConfig machine = with_constants();
  machine.sm.parameter_space = ParameterSpace::constant;
  WarmChip parameters(machine);
  const LaunchStatistics before = parameters.read(0, 0, 0), behind = parameters.read(0, 0, 0);
  CHECK(before.caches.constant.misses == 3);  // of one line, all before it is there
  CHECK(behind.caches.constant.misses == 3);
  CHECK(behind.cycles == before.cycles);
}

TEST_CASE("kernels have their own code, and modules their own constants", "[timing]") {
  WarmChip chip(with_instructions());
  const Cycle first = chip.launch("constant").cycles;
  CHECK(chip.launch("other").cycles == first);
  CHECK(chip.launch("constant").cycles == first - kColdLine);
  CHECK(chip.launch("other").cycles == first - kColdLine);

  MachineConfig machine = with_constants();
  machine.constant.sm_cache = {2048, 64, 1, 0};  // for both tables
  WarmChip constants(machine);
  const Cycle cold = constants.launch("constant").cycles;
  host::ModuleRef second = constants.device.load_module(std::make_shared<SourceText>("again.ptx", kReaders));
  CHECK(constants.device.launch(second, "constant", {1}, {1}, {}).cycles == cold);
  CHECK(constants.device.launch(second, "constant", {1}, {1}, {}).cycles == cold - kColdLine);
  CHECK(constants.launch("constant").cycles == cold - kColdLine);
}

TEST_CASE("another row than the open one has to be closed first, and a refresh closes all", "[timing]") {
  WarmChip chip(with_rows());
  const Cycle first = chip.read(0);
  CHECK(chip.read(32768) == first + 12);  // the next row of the bank: tRP
  CHECK(chip.read(32768) == first - 14);
  // Due at the launch's end, or one cycle later.
  for (Cycle later : {0, 1}) {
    MachineConfig machine = with_rows();
    machine.dram.tREFI = static_cast<uint32_t>(first + later);
    WarmChip refreshed(machine);
    CHECK(refreshed.read(0) == first);
    CHECK(refreshed.read(0) == (later == 0 ? first : first - 14));
  }
}

TEST_CASE("dirty lines that an L2 keeps are written back by the launch that evicts them", "[timing]") {
  MachineConfig machine = with_l2();
  machine.l2.cache = {64, 64, 1, 30};  // a line in each partition
  machine.l2.write_policy = WritePolicy::write_back;
  WarmChip chip(machine);
  CHECK(chip.launch("write", {chip.at(0)}).dram.write_bytes == 0);
  CHECK(chip.read(64, 64, 64).dram.write_bytes == 64);
}

TEST_CASE("after a fault a launch finds nothing", "[timing]") {
  WarmChip chip(with_l1());
  const Cycle first = chip.read(0);
  CHECK_THROWS_AS(chip.launch("read", {host::Buffer{64, 4}, chip.at(0), chip.at(0)}), host::FaultError);
  CHECK(chip.read(0) == first);
  CHECK(chip.read(0) < first);
}
