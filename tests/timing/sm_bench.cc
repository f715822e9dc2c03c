#include "timing/sm_bench.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "base/assert.h"
#include "ptx/load_module.h"
#include "sim/gpu/block_scheduler.h"
#include "sim/state/launch_rows.h"

namespace warptime::sim {

namespace {

constexpr Cycle kLimit = 200'000;

const std::string kHeader = R"(.address_size 64
.const .align 16 .b8 table[16384];
.global .texref image;
.visible .entry bench(.param .u64 buf)
{
.reg .b32 %r<32>;
.reg .f32 %f<32>;
.reg .f64 %d<32>;
.reg .b64 %rd<16>;
.reg .pred %p<8>;
.shared .align 16 .b8 sh[8192];
)";

/// Stores of every data register that the body names.
std::string keep_all(const std::string& body) {
  auto names = [&](char kind, uint32_t i) {
    return body.find(fmt::format("%{}{},", kind, i)) != std::string::npos ||
           body.find(fmt::format("%{}{}}}", kind, i)) != std::string::npos;
  };
  std::string out;
  for (uint32_t i = 0; i < 32; ++i) {
    if (names('r', i)) out += fmt::format("st.shared.b32 [sh], %r{};\n", i);
    if (names('f', i)) out += fmt::format("st.shared.f32 [sh], %f{};\n", i);
    if (names('d', i)) out += fmt::format("st.shared.f64 [sh], %d{};\n", i);
  }
  return out;
}

}  // namespace

MachineConfig small_machine() {
  MachineConfig machine;
  machine.chip.tpcs = 1;
  machine.chip.sms_per_tpc = 1;
  machine.chip.window_cycles = 64;
  machine.chip.block_launch_cycles = 64;
  machine.chip.block_interval_cycles = 0;
  machine.interconnect.tpc_width_bytes = machine.interconnect.partition_width_bytes = 32;
  machine.interconnect.header_bytes = 8;
  machine.interconnect.request_header_bytes = 0;
  machine.dram.write_high = 0;
  machine.dram.bank_hash = BankHash::none;
  machine.instruction.prefetch_lines = 0;
  machine.interconnect.request_latency = machine.interconnect.response_latency = 80;
  machine.memory.address_map = AddressMap::short_;
  machine.memory.bytes = 1 << 24;
  machine.native_cost = NativeCost::ptx;  // native_test.cc has the other
  machine.issue.interval = 2;
  machine.issue.branch_cycles = 2;
  machine.issue.barrier_cycles = 4;
  machine.issue.barrier_latency = 20;
  machine.sp.initiation = 4;
  machine.sfu.initiation = 16;
  machine.latency.int_alu = 22;
  machine.latency.float_alu = 20;
  machine.latency.float_mad = 24;
  machine.latency.special = 28;
  machine.features = {"f64"};
  machine.dp.initiation = 32;
  machine.latency.double_alu = 48;
  machine.latency.double_div = 400;
  machine.latency.branch = 8;
  machine.sm.shared.base_cycles = 2;
  machine.sm.shared.cycles_per_degree = 4;
  machine.sm.shared.load_latency = 26;
  machine.constant.cycles_per_address = 4;
  machine.constant.load_latency = 30;
  // Tests of caches put in their own.
  machine.instruction.sm_cache = machine.instruction.tpc_cache = CacheConfig{};
  machine.constant.sm_cache = machine.constant.tpc_cache = CacheConfig{};
  machine.memory.request_cycles = 4;
  machine.memory.queue_entries = 64;
  machine.memory.max_outstanding_loads = 48;
  return machine;
}

SmBench::SmBench(MachineConfig machine, const std::string& body, Shape shape) : machine_(std::move(machine)) {
  std::string header = kHeader;
  header.insert(header.find(".visible .entry"), shape.declarations);
  std::string text = shape.target + header + body + (shape.keep ? keep_all(body) : "") + "ret;\n}\n";
  first_line_ = static_cast<uint32_t>(std::count(kHeader.begin(), kHeader.end(), '\n')) + 2;
  Diagnostics diagnostics;
  auto source = std::make_shared<SourceText>("bench.ptx", text);
  auto module = ptx::load_module(source, diagnostics);
  SIM_ASSERT(module != nullptr, "{}", diagnostics.to_text());
  SymbolAddresses addresses(module->symbols.size(), 0);
  addresses[1] = 1;  // the texture's handle
  kernel_ = decode(module, module->kernels[0], addresses, machine_, diagnostics);
  SIM_ASSERT(kernel_ != nullptr, "{}", diagnostics.to_text());

  memory_ = std::make_unique<DeviceMemory>(machine_.memory.bytes, 256);
  Addr buffer = memory_->allocate(kGlobalBytes, "buf", 65536).value();
  parameters_.resize(8);
  std::memcpy(parameters_.data(), &buffer, 8);
  system_ = std::make_unique<MemorySystem>(machine_, *memory_);

  context_.machine = &machine_;
  context_.kernel = kernel_.get();
  context_.memory = memory_.get();
  context_.grid = {shape.blocks, 1, 1};
  context_.block = {shape.threads, 1, 1};
  context_.threads_per_block = shape.threads;
  context_.warps_per_block = (shape.threads + kWarpSize - 1) / kWarpSize;
  context_.blocks_per_sm = occupancy(machine_, shape.threads, shape.registers, kSharedBytes).blocks_per_sm;
  context_.need = {context_.warps_per_block, shape.threads, 0, 0};
  context_.shared_bytes = kSharedBytes;
  context_.parameters = parameters_;
  fill_rows(context_);
  constants_.resize(16384);
  context_.constants = constants_;
  texture_ = shape.texture;
  texture_.base = buffer;
  context_.textures = {&texture_, 1};
  context_.local_base = machine_.memory.bytes;
  context_.local_bytes = kernel_->local_bytes;
  // Far apart, and each in rows of its own.
  context_.constant_base = 0x100000000, context_.code_base = 0x200000000;
  tpc_ = std::make_unique<Tpc<Attributed>>(machine_, *memory_, 0, system_->tpc(0));
  for (auto& sm : tpc_->sms()) sm->admit(context_);
  run(shape.blocks);
}

void SmBench::run(uint32_t blocks) {
  BlockScheduler scheduler(machine_);
  scheduler.add({.blocks = blocks, .blocks_per_sm = context_.blocks_per_sm, .need = context_.need});
  auto place = [this](const std::vector<Placement>& placed) {
    for (const Placement& p : placed) tpc_->sms()[0]->start_block(p.block, p.room, p.start);
  };
  place(scheduler.arrives(0, 0));
  std::vector<uint64_t> seen(kernel_->insns.size());
  Sm<Attributed>& sm = *tpc_->sms()[0];
  for (Cycle now = 0; now < kLimit; ++now) {
    if (now % machine_.chip.window_cycles == 0)
      for (uint32_t i = 0; i < system_->partition_count(); ++i) system_->apply_stores(i);
    tpc_->run(now, now + 1);
    for (uint32_t i = 0; i < system_->partition_count(); ++i) system_->run_partition(i, now, now + 1);
    system_->exchange();
    for (size_t i = 0; i < seen.size(); ++i) {
      uint64_t count = sm.counters().instructions[i].warp_instructions;
      for (; seen[i] < count; ++seen[i]) issues_[line_of(i)].push_back(now);
    }
    std::vector<BlockEnd> ended = sm.ended_blocks();
    sm.clear_ended_blocks();
    place(scheduler.follow(ended));
    if (scheduler.all_finished() && system_->idle()) {
      end_ = std::max(now, sm.sub_cores_free());
      sm.finish(end_);
      return;
    }
  }
  SIM_ASSERT(false, "the kernel was not finished after {} cycles", kLimit);
}

/// The exit behind the last instruction counts with its line.
uint32_t SmBench::line_of(size_t i) const {
  const std::vector<ptx::Instruction>& instructions = kernel_->kernel->instructions;
  return instructions[std::min(i, instructions.size() - 1)].line;
}

const std::vector<Cycle>& SmBench::issues(uint32_t line) const {
  static const std::vector<Cycle> none;
  auto found = issues_.find(first_line_ + line);
  return found == issues_.end() ? none : found->second;
}

size_t SmBench::issued_by(uint32_t line, Cycle cycle) const {
  const std::vector<Cycle>& cycles = issues(line);
  return static_cast<size_t>(std::upper_bound(cycles.begin(), cycles.end(), cycle) - cycles.begin());
}

uint64_t SmBench::stalled(uint32_t line, Stall reason) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < kernel_->insns.size(); ++i)
    if (line_of(i) == first_line_ + line) sum += counters().slots[i].stalls[static_cast<size_t>(reason)];
  return sum;
}

uint64_t SmBench::issued_cycles(uint32_t line) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < kernel_->insns.size(); ++i)
    if (line_of(i) == first_line_ + line) sum += counters().slots[i].issued;
  return sum;
}

void issues_at(const SmBench& bench, uint32_t line, Cycle cycle) {
  INFO("line " << line << " at " << cycle);
  CHECK(bench.issued_by(line, cycle - 1) == 0);
  CHECK(bench.issued_by(line, cycle) == 1);
}

void starts_at(const SmBench& bench, uint32_t line, Cycle cycle) {
  INFO("line " << line << " at " << cycle);
  CHECK(bench.issued_by(line, cycle - 1) == 0);
  CHECK(bench.issued_by(line, cycle) >= 1);
}

}  // namespace warptime::sim
