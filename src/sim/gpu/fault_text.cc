#include "sim/gpu/fault_text.h"

#include <fmt/format.h>

#include <bit>

#include "base/plural.h"
#include "ptx/user/demangle.h"
#include "ptx/user/user_lines.h"
#include "sim/mem/device_memory.h"
#include "sim/mem/tensor_map.h"
#include "sim/runtime/device_runtime.h"

namespace warptime::sim {

namespace {

/// The place of an instruction: its PTX, and the line of the user.
void set_place(Fault& fault, const LaunchContext& launch, const ptx::Instruction& instruction) {
  fault.where = instruction.where;
  fault.user = ptx::UserLines(*launch.kernel->module).of(instruction.location);
}

/// The place of a kernel as a whole.
void set_kernel(Fault& fault, const LaunchContext& launch) {
  const ptx::Kernel& kernel = *launch.kernel->kernel;
  fault.where = kernel.where;
  fault.user = ptx::UserLines(*launch.kernel->module).of(kernel);
}

std::string thread_count(uint64_t threads) { return threads == 0 ? "the whole block" : plural(threads, "thread"); }

/// The allocations around an address that belongs to none.
std::string allocations_near(const DeviceMemory& memory, Addr address) {
  if (const DeviceMemory::Allocation* a = memory.released_at(address))
    return fmt::format("it is in \"{}\" ({} at 0x{:x}), which the host program has freed", ptx::short_name(a->name),
                       plural(a->bytes, "byte"), a->begin);
  const DeviceMemory::Allocation *below = nullptr, *above = nullptr;
  for (const DeviceMemory::Allocation& a : memory.allocations()) {
    if (a.begin <= address) below = &a;
    else if (above == nullptr) above = &a;
  }
  std::string out;
  if (below != nullptr) {
    uint64_t past = address - below->begin;
    out = past < below->bytes
              ? fmt::format("it starts inside \"{}\" ({}) but ends beyond it", ptx::short_name(below->name),
                            plural(below->bytes, "byte"))
              : fmt::format("{} past the end of \"{}\" ({} at 0x{:x})", plural(past - below->bytes, "byte"),
                            ptx::short_name(below->name), plural(below->bytes, "byte"), below->begin);
  }
  if (above != nullptr && (below == nullptr || above->begin - address < address - below->begin))
    out += fmt::format("{}{} before \"{}\" (at 0x{:x})", out.empty() ? "" : "; ",
                       plural(above->begin - address, "byte"), ptx::short_name(above->name), above->begin);
  return out.empty() ? "the program has allocated no device memory" : out;
}

}  // namespace

std::string lane_list(uint32_t lanes) {
  std::string out;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (((lanes >> lane) & 1) == 0) continue;
    uint32_t last = lane;
    while (last + 1 < kWarpSize && ((lanes >> (last + 1)) & 1) != 0) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", lane);
    if (last > lane) out += fmt::format("-{}", last);
    lane = last;
  }
  return out;
}

Fault describe(const FaultRecord& record, const LaunchContext& launch, bool timed) {
  Fault fault;
  fault.kind = record.kind;
  fault.block = position_of(record.block, launch.grid);
  fault.thread = position_of(record.thread, launch.block);
  fault.has_thread = true;
  fault.cycle = record.cycle;
  fault.has_cycle = timed;
  if (const ptx::Instruction* instruction = launch.instruction(record.pc)) set_place(fault, launch, *instruction);
  const bool is_atomic =
      record.pc < launch.kernel->insns.size() && launch.kernel->insns[record.pc].effect == ptx::Effect::Atomic;
  std::string_view verb = is_atomic ? "atomic operation" : record.is_store ? "store" : "load";
  std::string_view space = record.space == ptx::Space::None ? "global" : ptx::name(record.space);
  switch (record.kind) {
    case Fault::Kind::OutsideSurface:
      fault.message = fmt::format("{} of {} outside of its surface", verb, plural(record.bytes, "byte"));
      fault.hint = ".clamp and .zero (cudaBoundaryModeClamp, cudaBoundaryModeZero) allow it";
      break;
    case Fault::Kind::NoTexture:
      fault.message = fmt::format("no texture is bound to the handle {:#x}", record.address);
      fault.hint = "a .texref is bound, and a handle made, by the host program or under `textures:` in a launch file";
      break;
    case Fault::Kind::OutOfBounds:
      fault.message = fmt::format("out-of-bounds {} of {} in {} memory", verb, plural(record.bytes, "byte"), space);
      fault.has_address = true;
      fault.hint = record.space == ptx::Space::Global
                       ? allocations_near(*launch.memory, record.address)
                       : fmt::format("the {} space of this launch has {}", space, plural(record.limit, "byte"));
      break;
    case Fault::Kind::Misaligned:
      fault.message = fmt::format("misaligned {} of {} in {} memory", verb, plural(record.bytes, "byte"), space);
      fault.has_address = true;
      fault.hint = fmt::format("the address must be a multiple of {}", record.bytes);
      break;
    case Fault::Kind::TensorCopy:
      fault.message = fmt::format("this copy cannot be: {}", text(static_cast<TensorProblem>(record.limit)));
      fault.has_address = record.address != 0;
      fault.hint =
          "what a tensor map may be is in cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col of the CUDA driver";
      break;
    case Fault::Kind::ReadOnly: fault.message = fmt::format("{} to {} memory, which is read-only", verb, space); break;
    case Fault::Kind::DivergentBarrier:
      fault.message = "barrier in divergent code: some threads of the warp can never reach it";
      fault.hint = fmt::format("lanes {} wait at the barrier for lanes {}, which are on another path",
                               lane_list(record.lanes), lane_list(record.live & ~record.lanes));
      break;
    case Fault::Kind::BranchIndex:
      fault.message = fmt::format("branch to label {} of a list of {}", record.address, record.limit);
      fault.hint = "the index of brx.idx must be less than the number of labels in its .branchtargets";
      break;
    case Fault::Kind::CallTarget:
      fault.message = fmt::format("call of {:#x}, where no function with the call's prototype begins", record.address);
      fault.hint = "a call through a register reaches functions whose address the module takes";
      break;
    case Fault::Kind::StackOverflow:
      fault.message = fmt::format("stack overflow: {}, one within the other", plural(record.bytes, "call"));
      fault.hint = fmt::format(
          "functions that call themselves have {} bytes per thread for their registers and local variables: does the "
          "recursion end?",
          record.limit);
      break;
    case Fault::Kind::BarrierCount:
      fault.message = fmt::format("barrier {} with a thread count of {}", record.limit, record.bytes);
      fault.hint = record.bytes == 0 ? "an arrival needs a thread count other than 0"
                   : record.bytes % kWarpSize != 0
                       ? fmt::format("the thread count is a multiple of the warp size, {}", kWarpSize)
                       : "a barrier cannot count as many threads";
      break;
    case Fault::Kind::BarrierMismatch:
      if (record.lanes != 0) {
        fault.message = "lanes of one warp wait at different barriers or with different thread counts";
        fault.hint = fmt::format("lanes {} wait at barrier {} for {}", lane_list(record.lanes), record.limit,
                                 thread_count(record.bytes));
      } else if (record.address != record.bytes) {
        fault.message = fmt::format("a warp comes to barrier {} for {} while others are there for {}", record.limit,
                                    thread_count(record.bytes), thread_count(record.address));
        fault.hint = "all warps at a barrier give the same thread count";
      } else {
        fault.message =
            fmt::format("a warp comes to barrier {} with another operation than those that are there", record.limit);
        fault.hint = "all warps at a barrier wait, or all reduce a predicate in the same way";
      }
      break;
    case Fault::Kind::MemberMask:
      fault.message = fmt::format("the member mask {:#010x} does not name the thread that executes the instruction",
                                  record.address);
      fault.hint = fmt::format("the thread is lane {} of its warp", record.thread % kWarpSize);
      break;
    case Fault::Kind::PartialWarp:
      fault.message = "an instruction of the whole warp is executed by some of its lanes";
      fault.hint =
          fmt::format("lanes {} execute it; matrices are spread over all {} lanes", lane_list(record.lanes), kWarpSize);
      break;
    case Fault::Kind::PartialWarpgroup:
      fault.message = "a product of a warpgroup is executed by fewer than four whole warps";
      fault.hint = fmt::format("the block has {}; a warpgroup is four warps, the first of a number that four divides",
                               plural(launch.threads_per_block, "thread"));
      break;
    case Fault::Kind::Assertion:
    case Fault::Kind::RuntimeArgument:
    case Fault::Kind::Free:
      fault.message = record.runtime->message;
      fault.hint = record.runtime->hint;
      break;
    case Fault::Kind::Trap: {
      const ptx::Instruction* instruction = launch.instruction(record.pc);
      std::string_view name = instruction == nullptr ? "trap" : instruction->card->card->name;
      fault.message = fmt::format("the program executed {}", name);
      if (name == "trap" && launch.kernel->kernel->reads_grid_barrier && launch.grid_workspace == 0)
        fault.hint =
            "the kernel waits for the whole grid (grid.sync() of cooperative groups), which needs a cooperative launch "
            "(cudaLaunchCooperativeKernel in a program that `warptime exec` runs)";
      if (name == "brkpt") fault.hint = "brkpt stops for a debugger, and no debugger is attached";
      break;
    }
    case Fault::Kind::ExitedBlock: {
      const auto other = position_of(record.address, launch.grid);
      fault.message = fmt::format("access to the shared memory of block ({},{},{}), which has exited", other[0],
                                  other[1], other[2]);
      fault.hint =
          "blocks of a cluster exit when no other uses their shared memory any more: barrier.cluster "
          "(cluster.sync() of cooperative groups)";
      break;
    }
    case Fault::Kind::Deadlock:
    case Fault::Kind::Livelock:
    case Fault::Kind::NoProgress:
    case Fault::Kind::CycleLimit:
    case Fault::Kind::Interrupted: break;
  }
  fault.address = record.address;
  return fault;
}

namespace {

/// "waits at barrier 1 (32 of 64 threads have arrived)".
std::string waits_at_barrier(const SmState& state, const Warp& warp) {
  if (warp.barrier == kMembers) return "waits for the lanes of its member mask";
  if (warp.barrier == kWholeWarp) return "waits for the other lanes of the warp";
  const ResidentBlock& block = state.block_of(warp);
  const Barrier& barrier = block.barriers[warp.barrier];
  std::string out = fmt::format("waits at barrier {}", warp.barrier);
  if (barrier.arrivals == 0) return out + " for other lanes of the warp";
  if (barrier.expected == 0)
    return out + fmt::format(" ({} of {} warps have arrived)", barrier.arrivals, std::popcount(block.warps));
  return out + fmt::format(" ({} of {} threads have arrived)", barrier.arrivals * kWarpSize, barrier.expected);
}

}  // namespace

std::string warp_line(const SmState& state, uint32_t slot, std::string_view what, bool where) {
  const Warp& warp = state.warp(slot);
  const LaunchContext& launch = state.launch_of(slot);
  auto block = position_of(state.block_of(warp).index, launch.grid);
  bool at_barrier = warp.barrier != kNoBarrier;
  const uint32_t pc = at_barrier ? lanes_at_barrier(state, warp).front().pc : warp.stack.pc();
  std::string place;
  if (const ptx::Instruction* instruction = launch.instruction(pc); where && instruction != nullptr) {
    const std::string line = line_text(launch, pc);
    place = ", " + line;
    if (!line.starts_with("PTX")) place += fmt::format(", PTX line {}", instruction->line);
  }
  return fmt::format("block ({},{},{}) warp {}: {}{}\n", block[0], block[1], block[2], warp.index_in_block,
                     at_barrier ? waits_at_barrier(state, warp) : std::string(what), place);
}

Fault over_limit(const LaunchContext& launch, uint64_t limit, std::string_view counted, std::string hint) {
  Fault fault;
  fault.kind = Fault::Kind::CycleLimit;
  fault.message = fmt::format("kernel {} was not finished after {} {}", ptx::demangled(launch.kernel->kernel->name),
                              limit, counted);
  fault.hint = std::move(hint);
  set_kernel(fault, launch);
  return fault;
}

std::string WarpLines::text() const {
  return warps_ > kDeadlockLines ? lines_ + fmt::format("and {} more\n", warps_ - kDeadlockLines) : lines_;
}

Fault interrupted(const LaunchContext& launch, std::string hint, Cycle cycle, bool timed) {
  Fault fault;
  fault.kind = Fault::Kind::Interrupted;
  fault.message = fmt::format("kernel {} was interrupted", ptx::demangled(launch.kernel->kernel->name));
  fault.hint = std::move(hint);
  set_kernel(fault, launch);
  fault.cycle = cycle;
  fault.has_cycle = timed;
  return fault;
}

Fault livelock(const LaunchContext& launch, const WaitChain& chain, std::string_view who_repeats, Cycle cycle,
               bool timed) {
  Fault fault = deadlock(launch, chain, who_repeats, cycle, timed);
  fault.kind = Fault::Kind::Livelock;
  fault.message = fmt::format("kernel {} never ends: its warps repeat the same instructions and no memory changes",
                              ptx::demangled(launch.kernel->kernel->name));
  return fault;
}

Fault deadlock(const LaunchContext& launch, const WaitChain& chain, std::string_view who_waits, Cycle cycle,
               bool timed) {
  Fault fault;
  fault.kind = Fault::Kind::Deadlock;
  fault.message = fmt::format("deadlock in kernel {}: every warp waits and nothing is on its way",
                              ptx::demangled(launch.kernel->kernel->name));
  fault.hint = chain.text();
  fault.hint += who_waits;
  set_kernel(fault, launch);
  if (std::optional<uint32_t> pc = chain.first_pc())
    if (const ptx::Instruction* instruction = launch.instruction(*pc)) set_place(fault, launch, *instruction);
  fault.cycle = cycle;
  fault.has_cycle = timed;
  return fault;
}

}  // namespace warptime::sim
