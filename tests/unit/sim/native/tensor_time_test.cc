// Times of products of matrices against those measured on an H200 (driver 580.159.04, SM clock 1980 MHz, %clock): a
// chain of dependent mma.sync in one warp, and four independent ones in each of four warps of a sub-core.
#include "sim/model/tensor_time.h"

#include <fmt/format.h>

#include "arranged_modules.h"

namespace warptime::sim {

namespace {

struct Fragment {
  uint32_t registers;
  const char* name;  // of the registers: %f, %r, %d
};
struct Measured {
  const char* instruction;
  Fragment d, a, b;
  double latency, cycles;
  const char* tail = "";
};

std::string text_of(const Fragment& fragment) {
  std::string out = "{";
  for (uint32_t i = 0; i < fragment.registers; ++i) out += fmt::format("{}%{}{}", i == 0 ? "" : ", ", fragment.name, i);
  return out + "}";
}

constexpr std::array kMeasured{
    Measured{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", {4, "f"}, {2, "r"}, {1, "r"}, 17.3, 4.1},
    Measured{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", {4, "f"}, {4, "r"}, {2, "r"}, 24.3, 6.1},
    Measured{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", {4, "f"}, {4, "r"}, {2, "r"}, 24.3, 6.1},
    Measured{"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", {2, "r"}, {4, "r"}, {2, "r"}, 24.3, 6.1},
    Measured{"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", {4, "f"}, {2, "r"}, {1, "r"}, 17.3, 4.1},
    Measured{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", {4, "f"}, {4, "r"}, {2, "r"}, 24.3, 6.1},
    Measured{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", {2, "d"}, {1, "d"}, {1, "d"}, 26.3, 16.1},
    Measured{"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", {4, "d"}, {2, "d"}, {1, "d"}, 34.4, 16.2},
    Measured{"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", {4, "d"}, {4, "d"}, {2, "d"}, 50.5, 32.3},
    Measured{"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", {4, "d"}, {8, "d"}, {4, "d"}, 82.6, 64.4},
    Measured{"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", {2, "r"}, {1, "r"}, {1, "r"}, 14.2, 3.9},
    Measured{"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", {4, "r"}, {2, "r"}, {1, "r"}, 17.3, 4.1},
    Measured{"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", {4, "r"}, {4, "r"}, {2, "r"}, 24.3, 6.1},
    Measured{"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", {4, "r"}, {4, "r"}, {2, "r"}, 24.3, 6.1},
    Measured{
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", {4, "f"}, {2, "r"}, {2, "r"}, 17.3, 6.1, ", %r0, 0"},
    Measured{
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", {4, "f"}, {4, "r"}, {4, "r"}, 24.3, 8.1, ", %r0, 0"},
    Measured{
        "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", {4, "r"}, {4, "r"}, {4, "r"}, 24.3, 8.1, ", %r0, 0"}};

std::string kernel_text(const Measured& row) {
  return fmt::format(
      ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k() {{\n"
      "  .reg .f32 %f<8>;\n  .reg .b32 %r<8>;\n  .reg .f64 %d<8>;\n  {} {}, {}, {}, {}{};\n  ret;\n}}\n",
      row.instruction, text_of(row.d), text_of(row.a), text_of(row.b), text_of(row.d), row.tail);
}

}  // namespace

TEST_CASE("Products of matrices take as long as on an H200") {
  const MachineConfig machine = config_with({}, "h200-sxm");
  for (const Measured& row : kMeasured) {
    CAPTURE(row.instruction);
    auto module = module_of(std::make_shared<const SourceText>("k.ptx", kernel_text(row)));
    REQUIRE(module != nullptr);
    const TensorTime time = tensor_time(machine, module->kernels.front(), module->kernels.front().instructions.front());
    CHECK(std::abs(time.latency - row.latency) <= std::max(1.0, 0.05 * row.latency));
    CHECK(std::abs(time.pipe_cycles - row.cycles) <= std::max(1.0, 0.05 * row.cycles));
  }
}

}  // namespace warptime::sim
