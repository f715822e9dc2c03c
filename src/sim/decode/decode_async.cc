// Decodes asynchronous copies and what waits for them: groups, and mbarrier objects.
#include <array>
#include <utility>

#include "base/assert.h"
#include "sim/decode/decoder.h"
#include "sim/exec/atomic_operation.h"

namespace warptime::sim {

using ptx::Mod, ptx::Operand, ptx::Type;

/// In words of four bytes, as a vector is.
void Decoder::async_copy(const ptx::Instruction& in, Insn& out) {
  const std::span<const Operand> operands = kernel_.operands_of(in);
  AsyncCopyPayload payload;
  payload.to = address(operands[0]);
  payload.access.address = address(operands[1]);
  payload.access.space = ptx::Space::Global;
  payload.access.element_bytes = 4;
  payload.access.vector = static_cast<uint8_t>(operands[2].bits / 4);
  payload.access.past_l1 = in.mods.has(Mod::Cg);
  if (const Operand& size = operands[3]; size.kind != Operand::Kind::None) {
    payload.has_size = true;
    payload.source_bytes = rows_.source(size);
    payload.is_ignored = size.type == Type::Pred;
    payload.is_negated = size.negated;
  }
  out.set_payload(payload);
}

namespace {

AsyncOperation operation_of(const ptx::Instruction& in) {
  constexpr std::array<std::pair<Mod, AsyncOperation>, 13> kOperations{{
      {Mod::CommitGroup, AsyncOperation::CommitGroup},
      {Mod::WaitGroup, AsyncOperation::WaitGroup},
      {Mod::WaitAll, AsyncOperation::WaitAll},
      {Mod::MbarrierWord, AsyncOperation::CopyArrive},
      {Mod::Init, AsyncOperation::Init},
      {Mod::Inval, AsyncOperation::Inval},
      {Mod::Arrive, AsyncOperation::Arrive},  // .expect_tx may follow
      {Mod::ArriveDrop, AsyncOperation::Arrive},
      {Mod::ExpectTx, AsyncOperation::ExpectTx},
      {Mod::CompleteTx, AsyncOperation::CompleteTx},
      {Mod::TestWait, AsyncOperation::TestWait},
      {Mod::TryWait, AsyncOperation::TryWait},
      {Mod::PendingCount, AsyncOperation::PendingCount},
  }};
  if (in.mods.has(Mod::ScopeCluster) && !in.mods.has(Mod::SharedCluster) && in.type == Type::None)
    return in.mods.has(Mod::Arrive) ? AsyncOperation::ClusterArrive : AsyncOperation::ClusterWait;
  if (in.mods.has(Mod::Bulk))
    return in.mods.has(Mod::WaitGroup) ? AsyncOperation::BulkWait : AsyncOperation::BulkCommit;
  for (auto [mod, operation] : kOperations)
    if (in.mods.has(mod)) return operation;
  SIM_ASSERT(false, "an asynchronous operation without a name");
}

}  // namespace

void Decoder::async(const ptx::Instruction& in, Insn& out) {
  AsyncPayload payload;
  payload.operation = operation_of(in);
  payload.is_generic = in.space == ptx::Space::None;
  payload.keeps_count = in.mods.has(Mod::NoInc);
  payload.drops = in.mods.has(Mod::ArriveDrop);
  payload.expects = in.mods.has(Mod::ExpectTx);
  payload.is_read = in.mods.has(Mod::Read);
  payload.is_parity = in.mods.has(Mod::Parity);
  payload.is_relaxed = in.mods.has(Mod::Relaxed);
  for (const Operand& operand : kernel_.operands_of(in)) {
    if (operand.kind == Operand::Kind::None) continue;
    if (operand.kind == Operand::Kind::Memory) {
      payload.mbarrier = address(operand);
    } else if (operand.destination) {
      payload.has_result = operand.kind != Operand::Kind::Sink;
      out.dst = rows_.destination(operand);
      out.dst_is_predicate = operand.type == Type::Pred;
    } else if (payload.operation == AsyncOperation::WaitGroup || payload.operation == AsyncOperation::BulkWait) {
      payload.count = static_cast<uint32_t>(operand.bits);
    } else if (!std::exchange(payload.has_value, true)) {
      payload.value = rows_.source(operand);
    } else {
      payload.has_hint = true;
      payload.hint = rows_.source(operand);
    }
  }
  out.set_payload(payload);
}

}  // namespace warptime::sim
