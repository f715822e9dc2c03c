// Limits of an SM of compute capability 1.0: 768 threads, 24 warps, 8 blocks, 8192 registers, 16384 bytes of shared
// memory (CUDA C Programming Guide 4.2, 4.2 and table F-2), and the rows of Ryoo et al. 2008, table 3, that follow from
// them.
#include "sim/model/occupancy.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

namespace {

struct Row {
  const char* program;
  uint32_t threads, registers, shared;
  uint32_t blocks;
  const char* limiter;
};

void check(const MachineConfig& machine, const Row& row) {
  INFO(row.program);
  Occupancy o = occupancy(machine, row.threads, row.registers, row.shared);
  CHECK(o.blocks_per_sm == row.blocks);
  CHECK(o.limiter == row.limiter);
  CHECK(o.warps_per_sm == row.blocks * ((row.threads + 31) / 32));
  CHECK(o.registers_per_thread == row.registers);
  CHECK(o.shared_bytes_per_block == row.shared);
}

}  // namespace

TEST_CASE("occupancy of the programs of Ryoo et al., table 3") {
  MachineConfig g80;
  // 8.1 bytes x 256 threads = 2074: 2048 + 16 + parameters. Active threads of the table / 16 SMs / block = blocks.
  check(g80, {"matrix multiplication, 10 registers", 256, 10, 2084, 3, "threads"});
  check(g80, {"matrix multiplication, 9 registers", 256, 9, 2084, 3, "threads"});
  // 11 x 256 = 2816; 3 blocks would need 8448 > 8192 (4.2).
  check(g80, {"matrix multiplication, prefetch", 256, 11, 2084, 2, "registers"});
  check(g80, {"MRI-Q", 256, 11, 5146, 2, "registers"});    // 20.1 x 256; 8192 / 16
  check(g80, {"MRI-FHD", 256, 12, 5146, 2, "registers"});  // 12 x 256 = 3072
  check(g80, {"CP", 128, 20, 51, 3, "registers"});         // 20 x 128 = 2560; 6144 / 16 = 384
  check(g80, {"RC5-72", 192, 42, 58, 1, "registers"});     // 6 warps x 32 x 42 = 8064; 3072 / 16 = 192
  check(g80, {"SAXPY", 256, 7, 77, 3, "threads"});
}

// Threads: 768 / 256 = 3 blocks; 257 threads are 9 warps, 768 / 257 = 2.
TEST_CASE("threads limit") {
  MachineConfig g80;
  check(g80, {"n", 256, 0, 0, 3, "threads"});
  check(g80, {"n + 1", 257, 0, 0, 2, "threads"});
  check(g80, {"largest block", 512, 0, 0, 1, "threads"});
  check(g80, {"too large", 513, 0, 0, 0, "threads"});
}

// 24 warps: blocks of 97 threads are 4 warps; 768 / 97 = 7 but 24 / 4 = 6. Blocks of 96 are 3 warps: 8 either way.
TEST_CASE("warps limit") {
  MachineConfig g80;
  check(g80, {"n", 96, 0, 0, 8, "threads"});
  check(g80, {"n + 1", 97, 0, 0, 6, "warps"});
}

// 8 blocks: 95 threads (3 warps) would fit 8 times by threads and warps as well; 64 threads 12 times.
TEST_CASE("blocks limit") {
  MachineConfig g80;
  check(g80, {"small", 64, 0, 0, 8, "blocks"});
  check(g80, {"one thread", 1, 0, 0, 8, "blocks"});
  g80.sm.max_blocks = 12;
  check(g80, {"n", 64, 0, 0, 12, "threads"});
  g80.sm.max_blocks = 11;
  check(g80, {"n - 1", 64, 0, 0, 11, "blocks"});
}

// 8 blocks of 64 threads (2 warps): 1024 registers each, so 16 per thread fit 8 blocks; 17 x 64 = 1088 rounds up to
// 1280: 6.
TEST_CASE("registers limit, allocated to blocks") {
  MachineConfig g80;
  check(g80, {"n", 64, 16, 0, 8, "blocks"});
  check(g80, {"n + 1", 64, 17, 0, 6, "registers"});
  CHECK(registers_per_block(g80, 64, 17) == 1280);
  // 3 warps count as 4: 4 x 32 x 10 = 1280, a multiple of 256.
  CHECK(registers_per_block(g80, 96, 10) == 1280);
  CHECK(registers_per_block(g80, 65, 10) == 1280);
  CHECK(registers_per_block(g80, 64, 10) == 768);  // 640 rounded up
  // 512 threads: 16 x 512 = 8192 fit once, 17 x 512 = 8704 never.
  check(g80, {"just", 512, 16, 0, 1, "threads"});
  check(g80, {"never", 512, 17, 0, 0, "registers"});
  // More than a thread can name never fits, even where the file has room.
  check(g80, {"124", 32, 124, 0, 1, "registers"});
  check(g80, {"125", 32, 125, 0, 0, "registers"});
}

// Compute capability 2.0: 32768 registers, each warp gets a multiple of 64.
TEST_CASE("registers limit, allocated to warps") {
  MachineConfig fermi;
  fermi.sm.register_allocation = RegisterAllocation::per_warp;
  fermi.sm.register_unit = 64;
  fermi.sm.warp_allocation_unit = 1;
  fermi.sm.registers = 32768;
  fermi.sm.max_threads = 1536;
  fermi.sm.max_warps = 48;
  CHECK(registers_per_block(fermi, 96, 21) == 3 * 704);  // 672 rounded up to 704
  CHECK(registers_per_block(fermi, 96, 20) == 3 * 640);
  check(fermi, {"n", 192, 20, 0, 8, "threads"});        // 6 x 640 = 3840: 8 by registers as well
  check(fermi, {"n + 1", 192, 21, 0, 7, "registers"});  // 6 x 704 = 4224
}

// Blocks of one warp with 25 registers: 832 each. 32768 / 832 = 39, but a quarter has room for 9: 36. With 26, the
// same.
TEST_CASE("registers limit, a warp's in one sub-partition") {
  MachineConfig machine;
  machine.sm.register_allocation = RegisterAllocation::per_warp;
  machine.sm.register_unit = 64;
  machine.sm.warp_allocation_unit = 1;
  machine.sm.registers = 32768;
  machine.sm.max_threads = 2048;
  machine.sm.max_warps = machine.sm.max_blocks = 64;
  check(machine, {"one", 32, 25, 0, 39, "registers"});
  machine.sm.register_partitions = 4;
  check(machine, {"four", 32, 25, 0, 36, "registers"});
  check(machine, {"warps of one block in several", 96, 25, 0, 12, "registers"});
  check(machine, {"the rest of a block", 160, 25, 0, 7, "registers"});
  check(machine, {"n", 32, 28, 0, 36, "registers"});      // 896 x 9 = 8064
  check(machine, {"n + 1", 32, 29, 0, 32, "registers"});  // 960 x 9 = 8640
}

// Three warps of 1024 registers count as four.
TEST_CASE("most registers of a block") {
  MachineConfig machine;
  machine.sm.register_allocation = RegisterAllocation::per_warp;
  machine.sm.register_unit = 256;
  machine.sm.warp_allocation_unit = 1;
  machine.sm.register_partitions = 4;
  machine.sm.registers = 8192;
  CHECK(registers_per_block(machine, 96, 32) == 3072);
  CHECK(registers_at_launch(machine, 96, 32) == 4096);
  machine.sm.max_registers_per_block = 4096;
  check(machine, {"n", 96, 32, 0, 2, "registers"});
  check(machine, {"n + 1", 96, 33, 0, 0, "registers"});
  machine.sm.max_registers_per_block = 4095;
  check(machine, {"n", 96, 32, 0, 0, "registers"});
  check(machine, {"n - 1", 96, 24, 0, 2, "registers"});
  // Allocated to a block as a whole, it has no other count.
  machine.sm.register_allocation = RegisterAllocation::per_block;
  CHECK(registers_at_launch(machine, 96, 32) == 3072);
  check(machine, {"per block", 96, 32, 0, 2, "registers"});
}

// 8 blocks get 2048 bytes each; one byte more is a 512-byte unit more: 16384 / 2560 = 6.
TEST_CASE("shared memory limit") {
  MachineConfig g80;
  check(g80, {"n", 32, 0, 2048, 8, "blocks"});
  check(g80, {"n + 1", 32, 0, 2049, 6, "shared_memory"});
  check(g80, {"one", 32, 0, 16384, 1, "shared_memory"});
  check(g80, {"never", 32, 0, 16385, 0, "shared_memory"});
}

// matmul: tiles of 2 x 16 x 16 x 4 = 2048 bytes, 16 of header, three addresses of 4 and two numbers of 4.
TEST_CASE("shared bytes of a block count header and parameters where they live there") {
  MachineConfig g80;
  ptx::Kernel kernel;
  kernel.static_shared_bytes = 2048;
  auto add = [&](uint64_t size, uint32_t alignment, bool address) {
    kernel.parameters.push_back(static_cast<uint32_t>(kernel.symbols.size()));
    ptx::Symbol symbol;
    symbol.size = size;
    symbol.alignment = alignment;
    kernel.symbols.push_back(symbol);
    kernel.parameter_is_address.push_back(address);
  };
  for (int i = 0; i < 3; ++i) add(8, 8, true);
  for (int i = 0; i < 2; ++i) add(4, 4, false);
  CHECK(shared_bytes_per_block(g80, kernel, 0) == 2084);
  CHECK(shared_bytes_per_block(g80, kernel, 100) == 2184);
  add(8, 8, false);  // a 64-bit number at offset 24: 20 rounded up
  CHECK(shared_bytes_per_block(g80, kernel, 0) == 2048 + 16 + 32);
  g80.sm.parameter_space = ParameterSpace::constant;
  CHECK(shared_bytes_per_block(g80, kernel, 0) == 2048);
}

TEST_CASE("an L1 has what shared memory leaves of their array") {
  MachineConfig machine;
  machine.sm.shared.bytes = 49152;
  machine.l1.cache.bytes = 8192;
  CHECK(l1_bytes_beside(machine, 0) == 8192);  // arrays of their own
  machine.l1.array_bytes = 65536;
  machine.l1.carveouts = "49152 16384 32768";
  CHECK(carveouts(machine.l1) == std::vector<uint32_t>{16384, 32768, 49152});
  CHECK(l1_bytes_beside(machine, 0) == 16384);  // the largest carveout, whatever the kernel
  machine.l1.carveout = SharedCarveout::fitting;
  CHECK(l1_bytes_beside(machine, 0) == 49152);
  CHECK(l1_bytes_beside(machine, 16384) == 49152);
  CHECK(l1_bytes_beside(machine, 16385) == 32768);
  CHECK(l1_bytes_beside(machine, 60000) == 16384);
  machine.l1.carveouts = "16384 many";
  CHECK(carveouts(machine.l1).empty());
}
