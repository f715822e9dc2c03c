#include "sim/runtime/printf_buffer.h"

#include <algorithm>

namespace warptime::sim {

namespace {

// What a record takes of the buffer: the address of its format, its size, each argument, and a copy of each string.
constexpr uint64_t kRecordBytes = 16, kArgumentBytes = 8;
// Text is handed over in pieces of this size.
constexpr size_t kPieceBytes = 1 << 16;

uint64_t bytes_of(const std::vector<PrintfArgument>& arguments) {
  uint64_t bytes = kRecordBytes + kArgumentBytes * arguments.size();
  for (const PrintfArgument& argument : arguments) bytes += (argument.text.size() + 7) / 8 * 8;
  return bytes;
}

}  // namespace

const PrintfFormat& PrintfBuffer::format(const std::string& text, uint8_t address_bytes) {
  address_bytes_ = address_bytes;
  auto& slot = formats_[text];
  if (slot == nullptr) slot = std::make_unique<const PrintfFormat>(text, address_bytes);
  return *slot;
}

void PrintfBuffer::add(uint64_t block, Cycle cycle, const PrintfFormat& format, std::vector<PrintfArgument> arguments) {
  Position position{block, number_++};
  if (position < begin_) return;
  uint64_t bytes = bytes_of(arguments);
  records_[block].push_back({position.number, cycle, bytes, &format, std::move(arguments)});
  bytes_ += bytes;
  while (bytes_ > limit_) {  // what has so many bytes after it on this SM alone cannot remain
    auto first = records_.begin();
    const Record& oldest = first->second.front();
    begin_ = {first->first, oldest.number + 1};
    bytes_ -= oldest.bytes;
    first->second.pop_front();
    if (first->second.empty()) records_.erase(first);
  }
}

void PrintfBuffer::print(std::span<PrintfBuffer* const> buffers, Cycle last,
                         const std::function<void(std::string_view)>& to) {
  struct Printed {
    Position position;
    const Record* record;
  };
  std::vector<Printed> all;
  Position begin;
  uint64_t limit = 0;
  for (const PrintfBuffer* buffer : buffers) {
    begin = std::max(begin, buffer->begin_);
    limit = buffer->limit_;
    for (const auto& [block, records] : buffer->records_)
      for (const Record& record : records)
        if (record.cycle <= last) all.push_back({{block, record.number}, &record});
  }
  std::sort(all.begin(), all.end(), [](const Printed& a, const Printed& b) { return a.position < b.position; });
  size_t first = all.size();
  for (uint64_t bytes = 0; first > 0 && all[first - 1].position >= begin; --first) {
    bytes += all[first - 1].record->bytes;
    if (bytes > limit) break;
  }
  std::string text;
  for (size_t i = first; i < all.size(); ++i) {
    all[i].record->format->print(all[i].record->arguments, text);
    if (text.size() < kPieceBytes) continue;
    to(text);
    text.clear();
  }
  if (!text.empty()) to(text);
}

}  // namespace warptime::sim
