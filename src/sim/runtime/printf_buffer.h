// The output of a launch's printf calls until it ends: one buffer per SM, whose records are printed together in the
// order of blocks, calls in a block and lanes, so that the text is the same for any number of host threads.
//
// Hardware has one circular buffer, in which newer output overwrites older (CUDA C++ Programming Guide, "Formatted
// Output", "Limitations"). Here, of a launch's records in printed order, the last that fit remain.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "sim/runtime/printf_format.h"

namespace warptime::sim {

class PrintfBuffer {
 public:
  /// `limit`: bytes that the records of a launch may have together.
  explicit PrintfBuffer(uint64_t limit) : limit_(limit) {}

  const PrintfFormat& format(const std::string& text, uint8_t address_bytes);
  /// A call by one thread. `cycle` is of use in timed runs only.
  void add(uint64_t block, Cycle cycle, const PrintfFormat& format, std::vector<PrintfArgument> arguments);

  /// Hands the text of several SMs' records over, piece by piece: those up to cycle `last`, as many as fit. SMs have
  /// different blocks.
  static void print(std::span<PrintfBuffer* const> buffers, Cycle last,
                    const std::function<void(std::string_view)>& to);

 private:
  /// Where a record stands in the printed order.
  struct Position {
    uint64_t block = 0, number = 0;
    auto operator<=>(const Position&) const = default;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(block, number);
    }
  };
  struct Record {
    uint64_t number;
    Cycle cycle;
    uint64_t bytes;
    const PrintfFormat* format;
    std::vector<PrintfArgument> arguments;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(number, cycle, bytes, arguments);
      archive.pointer(format);
    }
  };

  uint64_t limit_;
  uint64_t bytes_ = 0;                              // of all records
  uint64_t number_ = 0;                             // of the next record
  Position begin_;                                  // records before it have been overwritten
  std::map<uint64_t, std::deque<Record>> records_;  // by block
  std::map<std::string, std::unique_ptr<const PrintfFormat>> formats_;
  uint8_t address_bytes_ = 8;  // of all of them: they are of one module

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    std::vector<std::string> texts;
    for (const auto& [text, format] : formats_) texts.push_back(text);
    archive(address_bytes_, texts);
    for (const std::string& text : texts) archive.object(format(text, address_bytes_));
    archive(bytes_, number_, begin_, records_);
  }
};

}  // namespace warptime::sim
