// What PTX has and warptime lacks, by name: the instructions of PTX ISA 9.0, chapter 9.7, without a card, and the words
// and operands that cards do not take. A text that uses them is correct PTX; the diagnostic says so.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warptime::ptx {

struct NotSupported {
  std::string_view name;  // "cp.async.bulk": the instruction and the words that follow it
  std::string_view what;  // "asynchronous copies"
  uint16_t ptx = 0;       // .version that brought it, times ten; 0: not said
  uint16_t target = 0;    // the first target that has it
  char variant = 0;       // 'a': only sm_90a, say
  uint8_t operands = 0;   // not 0: the form with as many operands, of an instruction that has a card
  std::string_view
      word{};  // not empty: the form with this word anywhere, of an instruction that has a card ("": of any)
};

/// The longest row that the spelled instruction begins with; nullptr: there is none.
const NotSupported* not_supported_instruction(std::string_view mnemonic, std::span<const std::string_view> words);
/// The row of a word (".v8") of an instruction that has a card.
const NotSupported* not_supported_word(std::string_view mnemonic, std::string_view word);
/// The row of two words that are not supported together.
const NotSupported* not_supported_pair(std::string_view mnemonic, std::span<const std::string_view> words);
inline constexpr uint8_t kWithBar = 255;  // as a count: d|p, where the card has no p
const NotSupported* not_supported_operands(std::string_view mnemonic, size_t count);

/// "it came with PTX 8.1, for sm_90 and later"; "" if the row does not say.
std::string since_text(const NotSupported& row);

}  // namespace warptime::ptx
