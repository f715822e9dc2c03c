// Copies of boxes of tensors, and stores and reductions that an mbarrier object counts, in small programs whose results
// are worked out from the manual: on `generic` (no time), and on a machine with timing that has been given the
// features.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/mem/tensor_map.h"
#include "sim/model/machine_loader.h"

namespace warptime {

namespace {

using sim::TensorMap;
constexpr const char* kTensorMachines[] = {"generic", "jetson-tk1"};
constexpr uint32_t kTensorWords = 512;

/// 16 x 32 words, of which a copy has 8 x 4.
TensorMap word_map() {
  TensorMap map;
  map.type = TensorMap::Type::U32;
  map.rank = 2;
  map.dims = {16, 32, 1, 1, 1};
  map.strides = {64, 0, 0, 0};
  map.box = {8, 4, 1, 1, 1};
  return map;
}

struct TensorRun {
  std::string machine = "generic";
  TensorMap map = word_map();
  uint32_t threads = 32, blocks = 1;
  uint64_t at = 0;  // address of the tensor; 0: where there is room
  std::vector<uint32_t> out = {}, tensor = {};

  /// %r0 is the thread, %rd1 the address of the tensor, whose words are their numbers, %rd2 that of the tensor map; %r8
  /// that of `tile`, 2048 bytes that are 7 each, %r9 that of its word %r0; `full` is an mbarrier object that expects
  /// one arrival. The body leaves its result in %r1.
  void run(const std::string& body) {
    Diagnostics diagnostics;
    auto loaded = sim::load_machine(machine, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
    REQUIRE(loaded.has_value());
    for (const char* feature : {"async_copies", "mbarriers", "bulk_copies", "tensor_copies", "clusters"})
      loaded->machine.config.features.push_back(feature);
    if (at != 0) loaded->machine.config.memory.bytes = uint64_t{8} << 30;
    sim::RunOptions options;
    options.functional = machine == "generic";
    host::Device device(loaded->machine, options);
    const std::string text = fmt::format(
        ".version 8.6\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u64 in, .param .align 64 .b8 map[128])\n{{\n"
        "  .reg .b32 %r<24>;\n  .reg .b64 %rd<16>;\n  .reg .pred %p<8>;\n  .reg .b16 %rs<8>;\n"
        "  .shared .align 1024 .b8 tile[2048];\n  .shared .align 8 .b64 full;\n  .shared .align 128 .b8 own[128];\n"
        "  mov.u32 %r0, %tid.x;\n  mov.u32 %r1, 0;\n  ld.param.u64 %rd1, [in];\n"
        "  mov.b64 %rd2, map;\n  cvta.param.u64 %rd2, %rd2;\n"
        "  mov.u32 %r8, tile;\n  mad.lo.u32 %r9, %r0, 4, %r8;\n  mov.u32 %r10, full;\n  mov.u32 %r2, 0;\n"
        "FILL:\n  mad.lo.u32 %r3, %r2, 128, %r9;\n  setp.lt.u32 %p6, %r0, 32;\n  @%p6 st.shared.u32 [%r3], 7;\n  "
        "add.u32 %r2, %r2, 1;\n"
        "  setp.lt.u32 %p7, %r2, 16;\n  @%p7 bra FILL;\n"
        "  setp.eq.u32 %p0, %r0, 0;\n  @%p0 mbarrier.init.shared.b64 [full], 1;\n  bar.sync 0;\n{}\n"
        "  ld.param.u64 %rd0, [out];\n  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n"
        "  mad.lo.u32 %r2, %r2, %r3, %r0;\n  mad.wide.u32 %rd0, %r2, 4, %rd0;\n  st.global.u32 [%rd0], %r1;\n  "
        "ret;\n}}\n",
        body);
    auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
    out.assign(size_t{threads} * blocks, 0);
    tensor.resize(kTensorWords);
    for (uint32_t i = 0; i < kTensorWords; ++i) tensor[i] = i;
    auto buffer = device.allocate<uint32_t>(out.size(), "out");
    auto source =
        at == 0 ? device.allocate<uint32_t>(kTensorWords, "in") : *device.try_allocate_at(at, 4 * kTensorWords, "in");
    device.write_bytes(source.address, std::as_bytes(std::span(tensor)));
    map.address = source.address;
    host::Argument argument;
    argument.kind = host::Argument::Kind::Bytes;
    argument.bytes.resize(TensorMap::kBytes);
    map.write(std::span<std::byte, TensorMap::kBytes>(argument.bytes));
    host::LaunchOptions launch;
    if (blocks > 1) launch.cluster = {blocks};
    device.launch(module, "k", {blocks}, {threads}, {buffer, source, argument}, launch);
    device.read_bytes(std::as_writable_bytes(std::span(out)), buffer.address);
    device.read_bytes(std::as_writable_bytes(std::span(tensor)), source.address);
  }
  std::string fault(const std::string& body) {
    try {
      run(body);
    } catch (const host::FaultError& error) {
      return error.what();
    }
    return "";
  }
};

std::string copy_to_tile(const std::string& x, const std::string& y, uint32_t bytes = 128) {
  return fmt::format(
      "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [full], {};\n"
      "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd2, {{{}, "
      "{}}}], "
      "[full];\n",
      bytes, x, y);
}
const std::string kWaitForTile = "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [full], 0;\n@!%p1 bra WAIT;\n";
const std::string kReadTile = "ld.shared.u32 %r1, [%r9];\n";

}  // namespace

TEST_CASE("cp.async.bulk.tensor: a box arrives with the wait, and not before", "[tensor_copies]") {
  for (const char* machine : kTensorMachines) {
    INFO(machine);
    TensorRun run{.machine = machine};
    run.run(copy_to_tile("4", "5") + "ld.shared.u32 %r20, [%r9];\n" + kWaitForTile + kReadTile +
            "mad.lo.u32 %r1, %r20, 1000, %r1;");
    for (uint32_t i = 0; i < 32; ++i) CHECK(run.out[i] == 7000 + (5 + i / 8) * 16 + 4 + i % 8);
  }
}

TEST_CASE("cp.async.bulk.tensor: outside of the tensor there are zeros, or NaN, which count as bytes",
          "[tensor_copies]") {
  for (const char* machine : kTensorMachines) {
    for (bool is_nan : {false, true}) {
      for (auto [x, y] : {std::pair{-4, -2}, {12, 30}, {16, 0}, {2147483644, -2147483647}}) {
        INFO(machine << " " << x << " " << y);
        TensorRun run{.machine = machine};
        if (is_nan) run.map.type = TensorMap::Type::F32;
        run.map.fills_nan = is_nan;
        run.run(copy_to_tile(std::to_string(x), std::to_string(y)) + kWaitForTile + kReadTile);
        for (int i = 0; i < 32; ++i) {
          const int64_t at_x = int64_t{x} + i % 8, at_y = int64_t{y} + i / 8;
          const bool is_in = at_x >= 0 && at_x < 16 && at_y >= 0 && at_y < 32;
          CHECK(run.out[static_cast<size_t>(i)] == (is_in    ? static_cast<uint32_t>(at_y * 16 + at_x)
                                                    : is_nan ? 0x7ff77ff7
                                                             : 0));
        }
      }
    }
  }
}

TEST_CASE("cp.async.bulk.tensor: a wait for fewer bytes than the box has is never over", "[tensor_copies]") {
  TensorRun run;
  CHECK(run.fault(copy_to_tile("12", "30", 32) + kWaitForTile + kReadTile) != "");
}

TEST_CASE("cp.async.bulk.tensor: stores move only what lies in the tensor", "[tensor_copies]") {
  for (const char* machine : kTensorMachines) {
    INFO(machine);
    TensorRun run{.machine = machine};
    run.run(R"(
      st.shared.u32 [%r9], %r0;
      fence.proxy.async.shared::cta;
      bar.sync 0;
      @%p0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd2, {12, 30}], [tile];
      @%p0 cp.async.bulk.commit_group;
      @%p0 cp.async.bulk.wait_group 0;)");
    for (uint32_t i = 0; i < kTensorWords; ++i) {
      const uint32_t x = i % 16, y = i / 16;
      CHECK(run.tensor[i] == (x >= 12 && y >= 30 ? (y - 30) * 8 + x - 12 : i));
    }
  }
}

TEST_CASE("cp.reduce.async.bulk.tensor: each word of the box in the tensor", "[tensor_copies]") {
  struct Operation {
    const char* name;
    uint32_t (*apply)(uint32_t, uint32_t);
  };
  constexpr Operation kOperations[] = {{"add", [](uint32_t a, uint32_t b) { return a + b; }},
                                       {"min", [](uint32_t a, uint32_t b) { return a < b ? a : b; }},
                                       {"max", [](uint32_t a, uint32_t b) { return a < b ? b : a; }},
                                       {"inc", [](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }},
                                       {"dec", [](uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; }},
                                       {"and", [](uint32_t a, uint32_t b) { return a & b; }},
                                       {"or", [](uint32_t a, uint32_t b) { return a | b; }},
                                       {"xor", [](uint32_t a, uint32_t b) { return a ^ b; }}};
  for (const char* machine : kTensorMachines) {
    for (const Operation& operation : kOperations) {
      INFO(machine << " " << operation.name);
      TensorRun run{.machine = machine};
      run.run(fmt::format(R"(
        add.u32 %r2, %r0, 40;
        st.shared.u32 [%r9], %r2;
        fence.proxy.async.shared::cta;
        bar.sync 0;
        @%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.{}.tile.bulk_group [%rd2, {{12, 2}}], [tile];
        @%p0 cp.async.bulk.commit_group;
        @%p0 cp.async.bulk.wait_group 0;)",
                          operation.name));
      for (uint32_t i = 0; i < kTensorWords; ++i) {
        const uint32_t x = i % 16, y = i / 16;
        const bool is_in = x >= 12 && y >= 2 && y < 6;
        CHECK(run.tensor[i] == (is_in ? operation.apply(i, (y - 2) * 8 + x - 12 + 40) : i));
      }
    }
  }
}

TEST_CASE("cp.async.bulk.tensor: swizzles, by the address in shared memory", "[tensor_copies]") {
  for (uint32_t mode = 1; mode <= 3; ++mode) {
    TensorRun run;
    run.map.box = {4u << mode, 16u >> mode, 1, 1, 1};
    run.map.swizzle = static_cast<TensorMap::Swizzle>(mode);
    if (mode == 3) {  // rows of 128 bytes
      run.map.dims = {32, 16, 1, 1, 1};
      run.map.strides = {128, 0, 0, 0};
    }
    const uint32_t width = run.map.box[0], pitch = mode == 3 ? 32 : 16;
    run.threads = 64;
    run.run(copy_to_tile("0", "0", 256) + kWaitForTile + kReadTile);
    for (uint32_t i = 0; i < 64; ++i) {
      const uint32_t unit = i / 4 % 8, row = i / 32, from = row * 32 + (unit ^ (row & ((1u << mode) - 1))) * 4 + i % 4;
      CHECK(run.out[i] == from / width * pitch + from % width);
    }
  }
}

TEST_CASE("cp.async.bulk.tensor: a tensor above 4 GiB", "[tensor_copies]") {
  TensorRun run;
  run.at = (uint64_t{4} << 30) + 0x12340;
  run.run(copy_to_tile("4", "1") + kWaitForTile + kReadTile);
  for (uint32_t i = 0; i < 32; ++i) CHECK(run.out[i] == (1 + i / 8) * 16 + 4 + i % 8);
}

TEST_CASE("tensor copies: what cannot be is a fault that says why", "[tensor_copies]") {
  auto fault_with = [](auto change, const std::string& body) {
    TensorRun run;
    change(run.map);
    return run.fault(body);
  };
  auto as_it_is = [](TensorMap&) {};
  const std::string copy = copy_to_tile("0", "0");
  using Catch::Contains;
  CHECK_THAT(fault_with([](TensorMap& m) { m.rank = 3; }, copy), Contains("another number of dimensions"));
  CHECK_THAT(fault_with([](TensorMap& m) { m.strides[0] = 60; }, copy), Contains("each stride is a multiple of 16"));
  CHECK_THAT(fault_with([](TensorMap& m) { m.box[0] = 3; }, copy), Contains("multiple of 16 bytes along the first"));
  CHECK_THAT(fault_with([](TensorMap& m) { m.dims[1] = 33; }, copy_to_tile("0", "30")), Contains("out-of-bounds load"));
  CHECK_THAT(fault_with(as_it_is, copy_to_tile("3", "0")), Contains("first coordinate is not at a multiple of 16"));
  CHECK_THAT(
      fault_with(as_it_is, "@%p0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd2, {0, -1}], [tile];"),
      Contains("store or a reduction is negative"));
  CHECK_THAT(fault_with(as_it_is, "add.u64 %rd2, %rd2, 32;\n" + copy), Contains("multiple of 64"));
  CHECK_THAT(fault_with(as_it_is, "mov.u64 %rd2, %rd1;\n" + copy), Contains("no tensor map at its address"));
  CHECK_THAT(
      fault_with(as_it_is,
                 "add.u32 %r8, %r8, 64;\n@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%r8], [%rd2, {0, 0}], [full];"),
      Contains("shared memory is a multiple of 128"));
  CHECK_THAT(
      fault_with(as_it_is,
                 "add.u32 %r8, %r8, 8064;\n@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%r8], [%rd2, {0, 0}], [full];"),
      Contains("out-of-bounds store of 128 bytes in shared memory"));
  CHECK_THAT(
      fault_with([](TensorMap& m) { m.type = TensorMap::Type::F32; },
                 "@%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group [%rd2, {0, 0}], [tile];"),
      Contains("operation is not one of the tensor's type"));
  CHECK_THAT(
      fault_with(as_it_is,
                 "mov.u16 %rs1, 4;\n@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [tile], [%rd2, {0, 0}], [full], %rs1;"),
      Contains("mask names no block"));
}

TEST_CASE("multicast: to the same place of several blocks, each with its own mbarrier object", "[tensor_copies]") {
  for (const char* machine : kTensorMachines) {
    for (bool is_tensor : {false, true}) {
      INFO(machine << " " << is_tensor);
      TensorRun run{.machine = machine};
      run.blocks = 3;
      run.run(std::string(R"(
        @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [full], 128;
        barrier.cluster.arrive; barrier.cluster.wait;
        mov.u32 %r20, %cluster_ctarank;
        setp.eq.and.u32 %p2, %r20, 1, %p0;
        mov.u16 %rs1, 5;
      )") +
              (is_tensor ? "@%p2 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                           ".multicast::cluster [tile], [%rd2, {0, 1}], [full], %rs1;\n"
                         : "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                           ".multicast::cluster [tile], [%rd1], 128, [full], %rs1;\n") +
              "setp.eq.u32 %p3, %r20, 1;\n@%p3 bra DONE;\n" + kWaitForTile + "DONE:\n" + kReadTile +
              "barrier.cluster.arrive; barrier.cluster.wait;");
      for (uint32_t i = 0; i < 96; ++i) {
        const uint32_t lane = i % 32, got = is_tensor ? (1 + lane / 8) * 16 + lane % 8 : lane;
        CHECK(run.out[i] == (i / 32 == 1 ? 7 : got));
      }
    }
  }
}

TEST_CASE("cp.async.bulk: to the shared memory of another block", "[tensor_copies]") {
  for (const char* machine : kTensorMachines) {
    INFO(machine);
    TensorRun run{.machine = machine};
    run.blocks = 2;
    run.run(R"(
      @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [full], 128;
      mov.u32 %r20, %cluster_ctarank;
      mad.lo.u32 %r2, %r20, 100, %r0;
      st.shared.u32 [%r9], %r2;
      fence.proxy.async.shared::cta;
      barrier.cluster.arrive; barrier.cluster.wait;
      xor.b32 %r3, %r20, 1;
      mapa.shared::cluster.u32 %r4, %r8, %r3;
      mapa.shared::cluster.u32 %r5, %r10, %r3;
      @%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r4+512], [%r8], 128, [%r5];
      ld.shared.u32 %r6, [%r9+512];
    )" + kWaitForTile +
            R"(
      ld.shared.u32 %r1, [%r9+512];
      mad.lo.u32 %r1, %r6, 1000, %r1;
      barrier.cluster.arrive; barrier.cluster.wait;)");
    for (uint32_t i = 0; i < 64; ++i) CHECK(run.out[i] == 7000 + (i < 32 ? 100 : 0) + i % 32);
  }
}

TEST_CASE("st.async, red.async: to another block, whose mbarrier object counts the bytes", "[tensor_copies]") {
  for (const char* machine : kTensorMachines) {
    INFO(machine);
    TensorRun run{.machine = machine};
    run.blocks = 2;
    run.run(R"(
      @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [full], 896;
      barrier.cluster.arrive; barrier.cluster.wait;
      mov.u32 %r20, %cluster_ctarank;
      xor.b32 %r3, %r20, 1;
      mapa.shared::cluster.u32 %r4, %r9, %r3;
      mapa.shared::cluster.u32 %r5, %r10, %r3;
      mad.lo.u32 %r6, %r0, 8, %r8;
      mapa.shared::cluster.u32 %r6, %r6, %r3;
      add.u32 %r2, %r0, 100;
      st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], %r2, [%r5];
      st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r6+512], {%r0, %r2}, [%r5];
      mad.lo.u32 %r7, %r0, 8, %r6;
      st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r6+768], {%r2, %r0}, [%r5];
      red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r4+1024], %r0, [%r5];
      red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%r4+1152], %r0, [%r5];
    )" + kWaitForTile +
            R"(
      mad.lo.u32 %r6, %r0, 8, %r8;
      ld.shared.u32 %r1, [%r9];
      ld.shared.v2.u32 {%r11, %r12}, [%r6+512];
      ld.shared.v2.u32 {%r13, %r14}, [%r6+768];
      ld.shared.u32 %r15, [%r9+1024];
      ld.shared.u32 %r16, [%r9+1152];
      mad.lo.u32 %r1, %r11, 3, %r1;
      mad.lo.u32 %r1, %r12, 5, %r1;
      mad.lo.u32 %r1, %r13, 11, %r1;
      mad.lo.u32 %r1, %r14, 13, %r1;
      mad.lo.u32 %r1, %r15, 17, %r1;
      mad.lo.u32 %r1, %r16, 19, %r1;
      barrier.cluster.arrive; barrier.cluster.wait;)");
    for (uint32_t i = 0; i < 64; ++i) {
      const uint32_t lane = i % 32, value = lane + 100;
      CHECK(run.out[i] ==
            value + 3 * lane + 5 * value + 11 * value + 13 * lane + 17 * (7 + lane) + 19 * std::max(lane, 7u));
    }
  }
}

TEST_CASE("tensormap.replace and tensormap.cp_fenceproxy: a changed tensor map", "[tensor_copies]") {
  for (const char* machine : kTensorMachines) {
    INFO(machine);
    TensorRun run{.machine = machine};
    // Copied to shared memory by words, there given another address, pitch, size and box, then copied behind the
    // tensor's first 1024 bytes, and used from there; its fill becomes NaN in global memory.
    run.run(R"(
      mov.u32 %r11, own;
      mad.lo.u32 %r12, %r0, 4, %r11;
      mul.wide.u32 %rd3, %r0, 4;
      add.u64 %rd3, %rd3, %rd2;
      ld.u32 %r2, [%rd3];
      st.shared.u32 [%r12], %r2;
      bar.sync 0;
      add.u64 %rd4, %rd1, 128;
      mov.u64 %rd5, 128;
      @%p0 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r11], %rd4;
      @%p0 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r11], 0, %rd5;
      @%p0 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r11], 1, 3;
      @%p0 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r11], 0, 4;
      @%p0 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r11], 1, 8;
      @%p0 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r11], 7;
      bar.sync 0;
      add.u64 %rd6, %rd1, 1024;
      tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd6], [%r11], 128;
      fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128;
      @%p0 tensormap.replace.tile.fill_mode.global.b1024.b32 [%rd6], 1;
      fence.proxy.tensormap::generic.release.gpu;
      fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128;
      mov.u64 %rd2, %rd6;
      prefetch.tensormap [%rd2];
    )" + copy_to_tile("4", "1") +
            kWaitForTile + kReadTile);
    for (uint32_t i = 0; i < 32; ++i)
      CHECK(run.out[i] == (i / 4 < 2 ? 32 + (1 + i / 4) * 32 + 4 + i % 4 : 0x7ff77ff7u));
  }
}

}  // namespace warptime
