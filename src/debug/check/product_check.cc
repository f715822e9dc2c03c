#include "debug/check/product_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "debug/check/variables.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"
#include "sim/exec/product_pieces.h"

namespace warptime::debug {

using Operation = sim::AsyncMatrixPayload::Operation;

namespace {

bool is_product(const ptx::Instruction& instruction) {
  return ptx::is<ptx::WgmmaCard>(instruction) && instruction.mods.has(ptx::Mod::MmaAsync);
}
bool has(const std::vector<uint32_t>& list, uint32_t reg) {
  return std::find(list.begin(), list.end(), reg) != list.end();
}

}  // namespace

void ProductCheck::begins(const sim::LaunchContext& launch) {
  launch_ = &launch;
  uses_.clear();
  warps_.clear();
  const ptx::Kernel& kernel = *launch.kernel->kernel;
  follows_ = std::any_of(kernel.instructions.begin(), kernel.instructions.end(), is_product);
  if (!follows_) return;
  of_products_.assign(kernel.registers.size(), false);
  for (const ptx::Instruction& instruction : kernel.instructions) {
    Uses& uses = uses_.emplace_back();
    for (const ptx::Operand& operand : kernel.operands_of(instruction))
      ptx::for_each_register(kernel, operand, [&](uint32_t reg, bool is_written) {
        auto& list = is_written ? uses.writes : uses.reads;
        if (!has(list, reg)) list.push_back(reg);
      });
    if (!is_product(instruction)) continue;
    const std::span<const ptx::Operand> operands = kernel.operands_of(instruction);
    uses.reads.clear();  // descriptors and predicates count when it begins
    for (const ptx::Operand& operand : operands.subspan(1, 1))
      if (operand.kind == ptx::Operand::Kind::Vector)
        ptx::for_each_register(kernel, operand, [&](uint32_t reg, bool) { uses.reads.push_back(reg); });
    for (const auto* list : {&uses.reads, &uses.writes})
      for (uint32_t reg : *list) of_products_[reg] = true;
  }
}

void ProductCheck::starts(const sim::SmState& sm, uint64_t slots) {
  if (!follows_) return;
  const size_t warps = size_t{sm.index() + 1} * sm.warp_slots();
  if (warps_.size() < warps) warps_.resize(warps);
  for (; slots != 0; slots &= slots - 1) {
    WarpProducts& warp = warp_of(sm, static_cast<uint32_t>(std::countr_zero(slots)));
    warp = {};
    warp.written.assign(of_products_.size(), ptx::kNoIndex);
  }
}

/// `other_pc`: the product or the write that it meets; kNoIndex: none.
void ProductCheck::report(Kind kind, const sim::WarpEvent& event, uint32_t lane, std::string name, std::string message,
                          uint32_t other_pc, uint32_t other_thread) {
  if (!findings_.is_new(kind, *launch_, event.pc, 1, name)) return;
  Finding finding = finding_at(kind, event, lane);
  finding.variable = std::move(name);
  finding.message = std::move(message);
  if (other_pc != ptx::kNoIndex) {
    const uint64_t block = event.sm.block_of(event.warp()).index;
    finding.other = other_access(*launch_, other_pc, block, other_thread, finding.variable);
    const bool has_source = finding.cuda_line != 0 && finding.other->cuda_line != 0;
    finding.message +=
        fmt::format(", that of line {}", has_source ? finding.other->cuda_line : finding.other->place.line);
  }
  findings_.add(std::move(finding));
}

/// The product under way that an access to a register at `pc` meets: nullptr if none.
const ProductCheck::UnderWay* ProductCheck::user_of(const WarpProducts& warp, uint32_t reg, bool is_written,
                                                    uint32_t pc) const {
  for (const UnderWay& product : warp.products) {
    const Uses& uses = uses_[product.pc];
    if (!has(uses.writes, reg) && !(is_written && has(uses.reads, reg))) continue;
    // Products of one shape may follow each other on the same accumulators.
    const bool continues = uses_[pc].writes == uses.writes && is_product(launch_->kernel->kernel->instructions[pc]);
    if (!continues || !has(uses.writes, reg)) return &product;
  }
  return nullptr;
}

void ProductCheck::uses_registers(const sim::WarpEvent& event, WarpProducts& warp) {
  const Uses& uses = uses_[event.pc];
  const auto lane = static_cast<uint32_t>(std::countr_zero(event.lanes));
  const uint32_t first_thread = event.warp().index_in_block * sim::kWarpSize;
  for (bool writes : {false, true})
    for (uint32_t reg : writes ? uses.writes : uses.reads) {
      if (!of_products_[reg]) continue;
      if (const UnderWay* product = user_of(warp, reg, writes, event.pc)) {
        const std::string& name = launch_->kernel->kernel->registers[reg].name;
        report(Kind::ProductRegister, event, lane, name,
               fmt::format("a {} of {}, which a product under way may still {}", writes ? "write" : "read", name,
                           has(uses_[product->pc].writes, reg) ? "write" : "read"),
               product->pc, first_thread + lane);
        return;
      }
    }
}

ProductCheck::Reads ProductCheck::begin(const sim::WarpEvent& event, WarpProducts& warp) {
  const sim::Warp& of = event.warp();
  const uint32_t first_thread = of.index_in_block * sim::kWarpSize;
  const Uses& uses = uses_[event.pc];
  uint32_t writer = ptx::kNoIndex, written = ptx::kNoIndex;
  for (const auto* list : {&uses.reads, &uses.writes})
    for (uint32_t reg : *list)
      if (writer == ptx::kNoIndex && warp.written[reg] != ptx::kNoIndex) {
        writer = warp.written[reg];
        written = reg;
      }
  if (written != ptx::kNoIndex) {
    const std::string& name = launch_->kernel->kernel->registers[written].name;
    report(Kind::ProductFence, event, 0, name,
           fmt::format("a product that uses {}, with no wgmma.fence behind the write of it", name), writer,
           first_thread);
  } else if (!warp.fenced) {
    report(Kind::ProductFence, event, 0, {}, "a product with no wgmma.fence before it", ptx::kNoIndex, 0);
  }
  const sim::ProductInput in{of.values, of.index_in_block % 4, {of.shared, launch_->shared_bytes}};
  UnderWay& product = warp.products.emplace_back();
  product.pc = event.pc;
  product.pieces = sim::pieces_read(*event.insn.async_matrix().product, in);
  return {event.pc, product.pieces};
}

std::vector<ProductCheck::Reads> ProductCheck::executes(const sim::WarpEvent& event) {
  std::vector<Reads> out;
  if (event.lanes == 0 || event.pc >= uses_.size()) return out;
  WarpProducts& warp = warp_of(event.sm, event.slot);
  uses_registers(event, warp);
  if (event.insn.effect != ptx::Effect::AsyncMatrix) {
    for (uint32_t reg : uses_[event.pc].writes) warp.written[reg] = event.pc;
    return out;
  }
  const sim::AsyncMatrixPayload& payload = event.insn.async_matrix();
  switch (payload.operation) {
    case Operation::Fence:
      warp.fenced = true;
      std::fill(warp.written.begin(), warp.written.end(), ptx::kNoIndex);
      break;
    case Operation::Commit:
      for (UnderWay& product : warp.products)
        if (std::exchange(product.is_open, false)) product.group = warp.groups;
      ++warp.groups;
      break;
    case Operation::Wait:
      std::erase_if(warp.products, [&](UnderWay& product) {
        if (product.is_open || uint64_t{product.group} + payload.count >= warp.groups) return false;
        out.push_back({product.pc, std::move(product.pieces)});
        return true;
      });
      break;
    case Operation::Multiply: out.push_back(begin(event, warp)); break;
  }
  return out;
}

uint32_t ProductCheck::check(const SpaceAccess& access) {
  if (!follows_ || access.space != ptx::Space::Shared || !access.writes()) return 0;
  const sim::SmState& sm = access.event.sm;
  const sim::Warp& own = access.event.warp();
  uint32_t met = 0;
  for (uint64_t rest = sm.block_of(own).warps; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(rest));
    for (const UnderWay& product : warp_of(sm, slot).products)
      sim::for_lanes_of(access.lanes & ~met, [&](uint32_t lane) {
        const auto begin = static_cast<uint32_t>(access.addresses[lane]);
        const auto piece =
            std::lower_bound(product.pieces.begin(), product.pieces.end(), begin / kPieceBytes * kPieceBytes);
        if (piece == product.pieces.end() || *piece >= begin + access.bytes) return;
        met |= 1u << lane;
        const auto variable = variable_at(*launch_, ptx::Space::Shared, begin);
        report(Kind::ProductOverwrite, access.event, lane, variable ? variable->name : std::string(),
               access.is_target ? "an asynchronous copy to shared memory that a product under way may still read"
                                : "a write to shared memory that a product under way may still read",
               product.pc, sm.warp(slot).index_in_block * sim::kWarpSize);
      });
  }
  return met;
}

}  // namespace warptime::debug
