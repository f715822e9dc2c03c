// One SM (src/sim/core): choosing the warp that issues, with what it must wait for; and an SM with everything that it
// has, running kernels that stay within it.
#include "bench/count.h"
#include "bench/one_instruction.h"
#include "host/device/device.h"
#include "sim/core/ready_set.h"
#include "sim/core/scoreboard.h"
#include "sim/core/warp_picker.h"
#include "sim/gpu/gpu.h"

namespace warptime::sim {
namespace {

/// 24 warps, each with a chain of two instructions: every pick looks at the wheel, the policy and the scoreboard, and
/// sets a result. With an SP's 4 cycles for each and a latency of 24, most warps wait at any time.
void pick(benchmark::State& state, WarpPolicy policy) {
  bench::OneInstruction first("fma.rn.f32 %f5, %f1, %f2, %f3;", bench::Numbers::Floats);
  bench::OneInstruction second("fma.rn.f32 %f5, %f5, %f2, %f3;", bench::Numbers::Floats);
  const bench::OneInstruction* both[2]{&first, &second};
  IssueConfig issue;
  issue.policy = policy;
  ReadySet ready;
  WarpPicker picker(issue, 0);
  Scoreboard scoreboard(bench::kWarps, 64);
  std::array<uint32_t, bench::kWarps> at{};
  for (uint32_t i = 0; i < bench::kWarps; ++i) {
    picker.started(i);
    ready.schedule(i, i);
  }
  Cycle now = 0;
  uint64_t waits = 0;
  for (auto _ : state) {
    uint64_t eligible = ready.at(now);
    for (; eligible == 0; eligible = ready.at(now)) now = ready.next_wake();
    uint32_t warp = picker.pick(eligible, 0);
    ready.take(warp);
    const CompiledKernel& kernel = both[at[warp]++ % 2]->kernel();
    const NativeInsn& insn = kernel.insns[0].native;
    scoreboard.set_results(warp, kernel.native, insn, Wait::until(now + insn.latency, Stall::AluDependency));
    const CompiledKernel& next = both[at[warp] % 2]->kernel();
    Wait wait =
        latest(Wait::until(now + 2, Stall::AluDependency), scoreboard.needed(warp, next.native, next.insns[0].native));
    ready.schedule(warp, wait.cycle());
    waits += wait.cycle() - now;
    now += 4;
  }
  if (waits < 4 * static_cast<uint64_t>(state.iterations())) state.SkipWithError("nobody waited");
  bench::count(state, 1, "pick");
}

const std::string kHead = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry kernel(.param .u32 n)
{
.reg .b32 %r<10>;
.reg .f32 %f<10>;
.reg .pred %p<4>;
.shared .align 16 .b8 sh[4096];
ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x;
cvt.rn.f32.u32 %f1, %r2;
and.b32 %r3, %r2, 15;
shl.b32 %r3, %r3, 2;
mov.f32 %f2, 0f3F000000;
LOOP:
)";
const std::string kTail = R"(
add.s32 %r1, %r1, -1;
setp.ne.s32 %p1, %r1, 0;
@%p1 bra LOOP;
st.shared.f32 [%r3], %f1;
ret;
}
)";

std::string repeated(uint32_t times, const std::string& text) {
  std::string out;
  for (uint32_t i = 0; i < times; ++i) out += text;
  return out;
}

/// An operand from shared memory for every fma, as in the unrolled tile loop.
std::string shared_products() {
  std::string out;
  for (uint32_t i = 0; i < 16; ++i)
    out += fmt::format("ld.shared.f32 %f3, [%r3+{}];\nfma.rn.f32 %f1, %f2, %f3, %f1;\n", i * 64);
  return out;
}

/// Half of the lanes of each warp take each side.
const std::string kSides = R"(
and.b32 %r4, %r2, 1;
setp.eq.s32 %p2, %r4, 0;
@%p2 bra EVEN;
add.f32 %f1, %f1, %f2;
bra JOIN;
EVEN:
mul.f32 %f1, %f1, %f2;
JOIN:
)";

/// A whole SM of a chip that has no other; all warps that it can hold.
void sm(benchmark::State& state, const std::string& body) {
  Machine machine{"one SM", {}, ""};
  machine.config.chip.tpcs = machine.config.chip.sms_per_tpc = 1;
  host::Device device(machine, RunOptions{});
  auto module = device.load_module(std::make_shared<SourceText>("sm.ptx", kHead + body + kTail));
  uint64_t instructions = 0;
  for (auto _ : state)
    instructions =
        device.launch(module, "kernel", {3, 1, 1}, {256, 1, 1}, {host::arg_u32(50)}).counted().counts.warp_instructions;
  if (instructions < 24 * 50 * 3) state.SkipWithError("the loop was left out");
  bench::count(state, instructions, "warp instruction");
}

const bool kRegistered = [] {
  auto add = [](std::string name, auto&&... what) {
    benchmark::RegisterBenchmark(("core/" + std::move(name)).c_str(), what...);
  };
  add("pick of 24, round robin", pick, WarpPolicy::round_robin);
  add("pick of 24, oldest first", pick, WarpPolicy::oldest_first);
  add("pick of 24, two levels", pick, WarpPolicy::two_level);
  add("SM, fma", sm, repeated(16, "fma.rn.f32 %f1, %f1, %f2, %f2;\n"));
  add("SM, fma of shared words", sm, shared_products());
  add("SM, sides of a branch", sm, kSides);
  return true;
}();

}  // namespace
}  // namespace warptime::sim
