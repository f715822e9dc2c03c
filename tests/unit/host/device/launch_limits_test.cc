#include "host/device/launch_limits.h"

#include "sim/model/occupancy.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

ptx::Kernel kernel_of(uint32_t registers, uint32_t shared_bytes) {
  ptx::Kernel kernel;
  kernel.name = "k";
  kernel.estimated_registers = kernel.native.registers = registers;
  kernel.static_shared_bytes = shared_bytes;
  return kernel;
}

/// "" if the machine can run it.
std::string error(const ptx::Kernel& kernel, Dim3 grid, Dim3 block, const LaunchOptions& options = {}) {
  Diagnostics diagnostics;
  check_launch_limits(default_machine(), kernel, grid, block, options, diagnostics);
  return diagnostics.to_text();
}

bool mentions(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("Grids up to the machine's limits are taken, beyond them the limit and its path are named") {
  ptx::Kernel kernel = kernel_of(10, 0);
  CHECK(error(kernel, {65535, 65535, 1}, {512, 1, 1}) == "");
  CHECK(error(kernel, {65536, 1, 1}, {32}) ==
        "error: the grid 65536 x 1 x 1 is too large for machine \"test\": x is at most 65535\n"
        "         hint: the limit is grid.max_x of the machine\n");
  CHECK(mentions(error(kernel, {1, 65536, 1}, {32}), "grid.max_y"));
  CHECK(mentions(error(kernel, {1, 1, 2}, {32}), "z is at most 1"));
  CHECK(mentions(error(kernel, {0, 1, 1}, {32}), "the grid 0 x 1 x 1 is empty"));
}

TEST_CASE("Blocks: each extent, and their product") {
  ptx::Kernel kernel = kernel_of(10, 0);
  CHECK(error(kernel, {1}, {8, 1, 64}) == "");
  CHECK(mentions(error(kernel, {1}, {513, 1, 1}), "grid.max_block_x"));
  CHECK(mentions(error(kernel, {1}, {1, 1, 65}), "grid.max_block_z"));
  CHECK(mentions(error(kernel, {1}, {1, 0, 1}), "is empty"));
  CHECK(error(kernel, {1}, {32, 16, 1}) == "");
  CHECK(error(kernel, {1}, {33, 16, 1}) ==
        "error: the block 33 x 16 x 1 has 528 threads; machine \"test\" allows 512\n"
        "         hint: the limit is sm.max_threads_per_block of the machine\n");
}

TEST_CASE("Directives of the kernel: .reqntid fixes every extent, .maxntid bounds the product") {
  ptx::Kernel kernel = kernel_of(10, 0);
  kernel.required_threads[0] = 64;
  CHECK(error(kernel, {1}, {64}) == "");
  CHECK(mentions(error(kernel, {1}, {32, 2, 1}), "requires blocks of 64 x 1 x 1 threads (.reqntid), not 32 x 2 x 1"));
  kernel = kernel_of(10, 0);
  kernel.max_threads[0] = 16;
  kernel.max_threads[1] = 8;
  CHECK(error(kernel, {1}, {128}) == "");
  CHECK(mentions(error(kernel, {1}, {129}), "allows at most 128 threads per block (.maxntid), not 129"));
}

TEST_CASE("Registers that never fit") {
  // 512 threads x 16 registers fill the 8192 of an SM exactly.
  CHECK(error(kernel_of(16, 0), {1}, {512}) == "");
  CHECK(error(kernel_of(17, 0), {1}, {512}) ==
        "error: a block of kernel \"k\" does not fit on machine \"test\": 512 threads with 17 registers each need 8704 "
        "registers; an SM has 8192 (sm.registers)\n"
        "         hint: this is an estimate from the PTX; registers_per_thread (or --registers) overrides it\n");
  LaunchOptions options;
  options.registers_per_thread = 16;
  CHECK(error(kernel_of(17, 0), {1}, {512}, options) == "");
  options.registers_per_thread = 125;
  CHECK(mentions(error(kernel_of(17, 0), {1}, {32}, options), "sm.max_registers_per_thread"));
  options.registers_per_thread = 124;
  CHECK(error(kernel_of(17, 0), {1}, {32}, options) == "");
}

TEST_CASE("Registers that an SM has, but a block may not have") {
  sim::Machine machine = default_machine();
  machine.config.sm.register_allocation = sim::RegisterAllocation::per_warp;
  machine.config.sm.warp_allocation_unit = 1;
  machine.config.sm.register_partitions = 4;
  machine.config.sm.max_registers_per_block = 4096;
  auto error_of = [&](uint32_t registers, uint32_t threads) {
    Diagnostics diagnostics;
    check_launch_limits(machine, kernel_of(registers, 0), {1}, {threads}, {}, diagnostics);
    return diagnostics.to_text();
  };
  CHECK(error_of(32, 128) == "");
  CHECK(mentions(error_of(32, 256),
                 "256 threads with 32 registers each need 8192 registers; a block has at most 4096 "
                 "(sm.max_registers_per_block)\n"));
  CHECK(mentions(error_of(40, 96),
                 "96 threads with 40 registers each need 3840 registers, 5120 with the warps rounded "
                 "up to a multiple of 4 (sm.register_partitions); a block has at most 4096 "));
  machine.config.sm.max_registers_per_block = 0;
  CHECK(mentions(error_of(48, 160),
                 "need 7680 registers, 12288 with the warps rounded up to a multiple of 4 "
                 "(sm.register_partitions); an SM has 8192 (sm.registers)\n"));
}

TEST_CASE("A program's limit of registers does not reduce what its values take") {
  auto warning = [](const ptx::Kernel& kernel, uint32_t registers) {
    Diagnostics diagnostics;
    warn_of_spills(default_machine(), kernel, registers, diagnostics);
    return diagnostics.to_text();
  };
  ptx::Kernel kernel = kernel_of(40, 0);
  CHECK(registers_per_thread(default_machine(), kernel, 32, {}) == 40);
  CHECK(warning(kernel, 40) == "");
  kernel.max_registers = 41;
  CHECK(registers_per_thread(default_machine(), kernel, 32, {}) == 40);
  CHECK(warning(kernel, 40) == "");
  kernel.max_registers = 16;
  CHECK(registers_per_thread(default_machine(), kernel, 32, {}) == 40);
  CHECK(mentions(warning(kernel, 40),
                 ".maxnreg 16 leaves 16 registers per thread to kernel \"k\", which needs about 40: "
                 "about 24 values would be spilled"));
  // A block of 512 threads fits with 16 only; one of 256 with 32.
  CHECK(registers_per_thread(default_machine(), kernel, 512, {}) == 16);
  CHECK(registers_per_thread(default_machine(), kernel, 256, {}) == 32);
  LaunchOptions options;
  options.registers_per_thread = 16;
  CHECK(registers_per_thread(default_machine(), kernel, 32, options) == 16);
  CHECK(warning(kernel, 16) == "");

  kernel = kernel_of(40, 0);
  kernel.min_blocks = 2;  // without a block size it says nothing
  CHECK(warning(kernel, 40) == "");
  kernel.max_threads[0] = 256;
  CHECK(registers_per_thread(default_machine(), kernel, 32, {}) == 40);
  CHECK(mentions(warning(kernel, 40), ".minnctapersm 2 leaves 16 registers per thread"));
  CHECK(sim::registers_over_limit(default_machine().config, kernel, 40) == 24);
}

TEST_CASE("Shared memory that never fits: static, dynamic, header") {
  // 16384 bytes per SM, 16 of them the block's header; no parameters.
  LaunchOptions options;
  options.dynamic_shared_bytes = 8192;
  CHECK(error(kernel_of(10, 8176), {1}, {32}, options) == "");
  CHECK(error(kernel_of(10, 8177), {1}, {32}, options) ==
        "error: a block of kernel \"k\" does not fit on machine \"test\": it needs 16385 bytes of shared memory; an SM "
        "has 16384 (sm.shared.bytes)\n"
        "         hint: 8177 static, 8192 dynamic, 16 for header and parameters\n");
}

TEST_CASE("A block that is asked for must be in the grid") {
  LaunchOptions options;
  options.blocks = {0, 5};
  CHECK(error(kernel_of(10, 0), {2, 3, 1}, {32}, options) == "");
  options.blocks = {6};
  CHECK(mentions(error(kernel_of(10, 0), {2, 3, 1}, {32}, options), "block 6 is not in the grid 2 x 3 x 1"));
}

TEST_CASE("Memory that no machine of this kind has is an error at its declaration, before anything is allocated") {
  auto error_of = [](const std::string& version, const std::string& parameters, const std::string& body) {
    Device device(default_machine(), {});
    std::string text = ".version " + version + "\n.target sm_70\n.address_size 64\n.entry k(" + parameters + ") {\n" +
                       body + "\nret; }\n";
    ModuleRef module = device.load_module(std::make_shared<SourceText>("test.ptx", text));
    return input_error([&] { device.launch(module, "k", {1}, {32}, {}); });
  };
  for (const char* bytes : {"16385", "1073741824", "4294967312"}) {
    std::string error = error_of("7.8", "", std::string(".local .align 8 .u8 l[") + bytes + "]; .local .u8 m;");
    CAPTURE(bytes, error);
    CHECK(mentions(error, "test.ptx:5:"));
    CHECK(mentions(error, "bytes of local memory per thread on machine \"test\" (sm.max_local_bytes_per_thread)"));
    CHECK(mentions(error, (std::string("\"l\" takes ") + bytes).c_str()));
  }
  CHECK(mentions(error_of("7.8", ".param .align 8 .b8 a[1099511627776]", ""),
                 "parameters in PTX 7.8; there are at most 4352"));
  CHECK(mentions(error_of("7.8", ".param .align 8 .b8 a[4353]", ""), "\"k\" has 4353 bytes of parameters in PTX 7.8"));
  CHECK(mentions(error_of("8.1", ".param .align 8 .b8 a[32765]", ""), "there are at most 32764"));
  // What fits gets on to the next check.
  CHECK(mentions(error_of("8.1", ".param .align 8 .b8 a[32764]", ""), "takes 1 argument, but 0 were given"));
  CHECK(mentions(error_of("7.8", ".param .u32 a", ".local .align 8 .u8 l[16384];"),
                 "takes 1 argument, but 0 were given"));
}

}  // namespace warptime::host
