#include "debug/check/heap_blocks.h"

#include <fmt/format.h>

#include <iterator>

#include "base/diagnostics.h"
#include "base/plural.h"

namespace warptime::debug {

namespace {

const HeapBlock* last_before(const std::map<Addr, HeapBlock>& blocks, Addr address) {
  auto after = blocks.upper_bound(address);
  return after == blocks.begin() ? nullptr : &std::prev(after)->second;
}

std::string place_text(std::string_view what, const Finding& at) {
  const auto &block = at.place.block, &thread = at.place.thread;
  const std::string line = at.cuda_line != 0 ? short_place(UserLine{.file = at.cuda_file, .line = at.cuda_line})
                                             : fmt::format("line {}", at.place.line);
  return fmt::format("{} at {} by thread ({},{},{}) of block ({},{},{})", what, line, thread[0], thread[1], thread[2],
                     block[0], block[1], block[2]);
}

}  // namespace

const HeapBlock* HeapBlocks::block_before(Addr address) const { return last_before(allocated_, address); }

const HeapBlock* HeapBlocks::freed_at(Addr address) const {
  const HeapBlock* block = last_before(freed_, address);
  return block != nullptr && (address < block->end() || address == block->begin) ? block : nullptr;
}

void HeapBlocks::change(const sim::LaunchContext& launch, const sim::HeapEvent& event) {
  Finding at = finding_at(Kind::Leak, launch, event.where.pc, event.where.block, event.where.thread);
  if (event.is_free) {
    auto block = allocated_.find(event.argument);
    if (event.refused || block == allocated_.end()) return;
    block->second.freed_where = place_text("freed", at);
    if (freed_.size() == kFreedKept) freed_.erase(freed_.begin());
    freed_.insert_or_assign(event.argument, std::move(block->second));
    allocated_.erase(block);
    return;
  }
  if (event.result == 0) return;
  if (bytes_ == 0) {
    const sim::DeviceMemory::Allocation* heap = launch.memory->find(event.result, 1);
    begin_ = heap->begin;
    bytes_ = heap->bytes;
  }
  HeapBlock block{.begin = event.result,
                  .bytes = event.argument,
                  .where = place_text("allocated", at),
                  .freed_where = {},
                  .leak = {}};
  at.address = event.result;
  at.buffer = "device heap";
  at.message = fmt::format("a block of {} is never freed", plural(event.argument, "byte"));
  at.hint = "the heap of malloc() in device code lasts as long as the program";
  block.leak = std::move(at);
  // Freed blocks whose memory it takes are gone.
  auto old = freed_.lower_bound(block.begin);
  if (old != freed_.begin() && std::prev(old)->second.end() > block.begin) --old;
  while (old != freed_.end() && old->first < block.end()) old = freed_.erase(old);
  allocated_[block.begin] = std::move(block);
}

}  // namespace warptime::debug
