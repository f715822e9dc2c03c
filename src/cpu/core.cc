#include "cpu/core.h"

#include <algorithm>

#include "base/assert.h"

namespace warptime::cpu {

namespace {

CpuCore* current_core = nullptr;

std::vector<CpuPipeCalendar> calendars(const CpuUnitsConfig& units) {
  std::vector<CpuPipeCalendar> out;
  CpuUnitsConfig::visit(
      units, [&](const char*, uint32_t count, const ParamCheck&, std::string_view) { out.emplace_back(count); });
  SIM_ASSERT(out.size() == kCpuPipes, "a pipe without its units, or units without a pipe");
  return out;
}

}  // namespace

Cycle CpuPipeCalendar::take(Cycle earliest, uint32_t busy) {
  Cycle start = std::max(earliest, now_);
  for (uint32_t free = 0; free < busy;) {
    if (start + busy > now_ + kAhead) return start;
    if (taken_[(start + free) % kAhead] < units_) {
      ++free;
    } else {
      start += free + 1;
      free = 0;
    }
  }
  for (Cycle cycle = start; cycle < start + busy; ++cycle) ++taken_[cycle % kAhead];
  return start;
}

void CpuPipeCalendar::advance(Cycle now) {
  for (Cycle cycle = now_; cycle < std::min(now, now_ + kAhead); ++cycle) taken_[cycle % kAhead] = 0;
  now_ = std::max(now_, now);
}

CpuCore::CpuCore(const CpuConfig& config, bool packed)
    : config_(config),
      packed_(packed),
      pipes_(calendars(config.units)),
      memory_(config, packed ? config.simd.width : 1),
      window_(config.front.window),
      counters_(size_t{1} << config.front.history, 2) {
  SIM_ASSERT(current_core == nullptr, "two cores at a time");
  size_t at = 0;
  CpuOperationsConfig::visit(config_.operations, [&](const char*, const CpuOperationConfig& cost, const ParamCheck&,
                                                     std::string_view) { table_[at++] = cost; });
  current_core = this;
}

CpuCore::~CpuCore() { current_core = nullptr; }

CpuCore& CpuCore::current() {
  SIM_ASSERT(current_core != nullptr, "counted numbers are computed while a CpuCore lives");
  return *current_core;
}

uint64_t CpuCore::allocate(uint64_t bytes) {
  uint64_t address = next_address_;
  uint64_t line = config_.memory.line_bytes;
  next_address_ += (bytes + line) / line * line + line;  // an allocator's own words between two arrays
  return address;
}

CpuCore::Cost CpuCore::cost(CpuOperation operation, Form form) const {
  const CpuOperationConfig& one = table_[static_cast<size_t>(operation)];
  uint32_t width = config_.simd.width, slots = config_.simd.macro_operations;
  switch (form) {
    case Form::Once: return {1, 1, one.latency, one.busy};
    case Form::Packed: return {slots, slots, one.packed_latency, one.packed_busy};
    case Form::Repeated: return {width, 1, one.latency * width, one.busy * width};
  }
  return {};
}

void CpuCore::go_to(Cycle now) {
  if (now <= now_) return;
  now_ = now;
  decoded_ = 0;
  for (CpuPipeCalendar& pipe : pipes_) pipe.advance(now_);
}

void CpuCore::decode(const Cost& cost) {
  for (uint32_t slot = 0; slot < cost.slots; ++slot) {
    if (slot < cost.entries) go_to(window_[(oldest_ + slot) % window_.size()]);
    if (decoded_ == config_.front.width) go_to(now_ + 1);
    ++decoded_;
  }
}

void CpuCore::retire(Cycle done, uint32_t entries) {
  retired_ = std::max(retired_, done);
  for (; entries > 0; --entries) {
    window_[oldest_] = retired_;
    oldest_ = (oldest_ + 1) % window_.size();
  }
}

Cycle CpuCore::start(CpuOperation operation, const Cost& cost, Cycle ready) {
  ++operations_[static_cast<size_t>(operation)];
  decode(cost);
  CpuPipe pipe = table_[static_cast<size_t>(operation)].pipe;
  return pipes_[static_cast<size_t>(pipe)].take(std::max(now_, ready), cost.busy);
}

Cycle CpuCore::execute(CpuOperation operation, Cycle ready, bool fused) {
  if (operation == CpuOperation::sin_cos) {
    ++operations_[static_cast<size_t>(operation)];
    go_to(std::max(now_, ready) + (packed_ ? config_.functions.packed_sin_cos : config_.functions.sin_cos));
    retire(now_, 0);
    return now_;
  }
  bool packs = operation < CpuOperation::integer && operation != CpuOperation::compare;
  Cost what = cost(operation, form_of_floats(packs));
  if (fused) what.slots = what.entries = 0;
  Cycle done = start(operation, what, ready) + what.latency;
  retire(done, what.entries);
  // The macro-operation that loaded its operand retires with it.
  if (fused) window_[(oldest_ + window_.size() - 1) % window_.size()] = retired_;
  return done;
}

Cycle CpuCore::load(const CpuAccess& access) {
  Cost what = cost(CpuOperation::load, form_of_floats(access.is_float && !access.gathered));
  Cycle begin = memory_.access(access.address, start(CpuOperation::load, what, access.ready), false);
  Cycle done = begin + what.latency;
  if (access.stored > 0) done = std::max(done, access.stored + config_.memory.forward);
  retire(done, what.entries);
  return done;
}

Cycle CpuCore::store(const CpuAccess& access) {
  Cost what = cost(CpuOperation::store, form_of_floats(access.is_float && !access.gathered));
  Cycle begin = start(CpuOperation::store, what, access.ready);
  memory_.access(access.address, begin, true);
  retire(begin + what.latency, what.entries);  // the line may come later
  return begin + what.latency;
}

void CpuCore::branch(bool taken, Cycle ready) {
  Form form = form_of_floats(false);
  Cost what = cost(CpuOperation::branch, form);
  Cycle outcome = start(CpuOperation::branch, what, ready) + what.latency;
  retire(outcome, what.entries);
  predict(taken, outcome, form);
}

void CpuCore::loop(bool again) {
  Cycle outcome = now_;
  for (CpuOperation operation : {CpuOperation::integer, CpuOperation::integer, CpuOperation::branch}) {
    Cost what = cost(operation, Form::Once);
    outcome = start(operation, what, operation == CpuOperation::branch ? outcome : now_) + what.latency;
    retire(outcome, what.entries);
  }
  predict(again, outcome, Form::Once);
}

void CpuCore::predict(bool taken, Cycle outcome, Form form) {
  uint8_t& counter = counters_[history_];
  bool right = (counter >= 2) == taken;
  if (taken && counter < 3) ++counter;
  if (!taken && counter > 0) --counter;
  history_ = (history_ << 1 | (taken ? 1u : 0u)) & static_cast<uint32_t>(counters_.size() - 1);
  if (right) return;
  ++mispredicted_;
  go_to(outcome + config_.front.mispredict * (form == Form::Repeated ? config_.simd.width : 1));
}

double CpuCore::cycles() const {
  auto cycles = static_cast<double>(std::max({now_, retired_, memory_.quiet()}) - origin_);
  return packed_ ? cycles / config_.simd.width : cycles;
}

void CpuCore::restart() {
  go_to(std::max({now_, retired_, memory_.quiet()}));
  origin_ = now_;
  operations_.fill(0);
  mispredicted_ = 0;
  memory_.restart();
}

}  // namespace warptime::cpu
