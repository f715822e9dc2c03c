#include "sim/state/runtime_calls.h"

#include <algorithm>
#include <cstring>

#include "sim/exec/lanes_of_mask.h"

namespace warptime::sim {

using ptx::RuntimeFunction;

namespace {

/// Calls f(bytes of the value in its row, which of its bytes, how many) for the words of a lane.
template <class F>
void for_words(const RuntimeLink::Value& value, uint32_t lane, const F& f) {
  for (uint32_t at = 0; at < value.bytes; at += 4)
    f(lane * value.words.lane_stride + at / 4 * value.words.word_stride, at, std::min(4u, value.bytes - at));
}

uint64_t get(const RuntimeLink::Value& value, const WarpValues& values, uint32_t lane) {
  std::array<std::byte, 8> bytes{};
  for_words(value, lane, [&](uint32_t offset, uint32_t at, uint32_t count) {
    std::memcpy(bytes.data() + at, value.words.row.in(values) + offset, count);
  });
  uint64_t out = 0;
  std::memcpy(&out, bytes.data(), bytes.size());
  return out;
}

void put(const RuntimeLink::Value& value, const WarpValues& values, uint32_t lane, uint64_t result) {
  std::array<std::byte, 8> bytes;
  std::memcpy(bytes.data(), &result, bytes.size());
  for_words(value, lane, [&](uint32_t offset, uint32_t at, uint32_t count) {
    std::memcpy(values.rows() + value.words.row.bits + offset, bytes.data() + at, count);
  });
}

}  // namespace

/// Always false, as what ends with it.
bool RuntimeCalls::fail(FaultRecord& fault, Fault::Kind kind) {
  fault.raised = true;
  fault.kind = kind;
  fault.runtime = &runtime_.error();
  return false;
}

bool RuntimeCalls::call(SmState& state, const LoadStore& memory, uint32_t slot, const Insn& insn, uint32_t lanes,
                        Cycle cycle, FaultRecord& fault) {
  Warp& warp = state.warp(slot);
  const RuntimeLink& link = warp.kernel->kernel().linkages[insn.linkage().linkage].runtime;
  if (link.row->uses_heap) {
    HeapRequest& request = requests_.emplace_back();
    request.link = &link;
    request.slot = slot;
    request.lanes = lanes;
    request.cycle = cycle;
    state.locate(request.where, slot, lanes);
    for_lanes_of(lanes, [&](uint32_t lane) { request.arguments[lane] = get(link.arguments[0], warp.values, lane); });
    return true;
  }
  RuntimeCall call;
  call.block = state.block_of(warp).index;
  call.cycle = cycle;
  call.address_bytes = warp.kernel->kernel().module->address_bytes;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    for (size_t i = 0; i < link.arguments.size(); ++i) call.arguments[i] = get(link.arguments[i], warp.values, lane);
    call.read = [&, lane](Addr address, std::span<std::byte> out) { return memory.read(warp, lane, address, out); };
    if (link.row->function == RuntimeFunction::Printf) {
      if (auto result = runtime_.print(call)) {
        put(link.result, warp.values, lane, static_cast<uint32_t>(*result));
        continue;
      }
      fail(fault, Fault::Kind::RuntimeArgument);
    } else {
      runtime_.fail_assertion(call);
      fail(fault, Fault::Kind::Assertion);
    }
    state.locate(fault, slot, 1u << lane);
    return false;
  }
  return false;
}

bool RuntimeCalls::answer(const HeapRequest& request, SmState& state, DeviceHeap& heap, FaultRecord& fault) {
  const WarpValues& values = state.warp(request.slot).values;
  for (uint32_t rest = request.lanes; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    uint64_t argument = request.arguments[lane];
    if (request.link->row->function == RuntimeFunction::Malloc) {
      put(request.link->result, values, lane, heap.allocate(argument));
    } else if (argument != 0 && !heap.free(argument)) {
      runtime_.refuse_free(argument, heap);
      fault = request.where;
      fault.thread = fault.thread / kWarpSize * kWarpSize + lane;
      fault.cycle = request.cycle;
      return fail(fault, Fault::Kind::Free);
    }
  }
  return true;
}

Addr RuntimeCalls::result(const HeapRequest& request, const SmState& state, uint32_t lane) {
  return get(request.link->result, state.warp(request.slot).values, lane);
}

}  // namespace warptime::sim
