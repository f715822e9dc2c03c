// Instructions that compute values, picked at random: every type, rounding, comparison and modifier whose result the
// manual specifies exactly, or that every GPU computes alike. Not among them: approximations, sums and products that a
// compiler may fuse (every rounding is written), division by zero, bit positions above 255.
#pragma once

#include <string>

#include "base/random.h"

namespace warptime::sim {

/// The registers that statements work on, by the letter of their names. Every routine declares and sets all of them.
///   h b16   r b32   d b64   f f32   g f64   p pred;   u: b32, the same in all threads of a block
struct RegisterKind {
  char letter;
  const char* type;
  uint32_t count;
};
inline constexpr RegisterKind kRegisterKinds[] = {{'h', "b16", 6}, {'r', "b32", 10}, {'d', "b64", 8}, {'f', "f32", 6},
                                                  {'g', "f64", 4}, {'p', "pred", 6}, {'u', "b32", 4}};

class Operations {
 public:
  explicit Operations(SplitMix64& random) : random_(random) {}

  /// A register to read or write: "%r3".
  std::string reg(char letter);
  /// A register, or now and then a constant.
  std::string source(char letter);
  /// One of the words of "a|b|c".
  std::string pick(std::string_view words);
  bool chance(uint32_t one_in) { return random_.below(one_in) == 0; }

  /// The text with its places filled, the first one first (the arguments of a call have no order that all compilers
  /// keep): $r a register of that letter, $!p a predicate, perhaps negated, $(a|b|c) one of the words.
  std::string filled(std::string_view text);
  /// A line or a few, with their new lines.
  std::string any();

 private:
  std::string operand(char letter, std::string& before, uint32_t& temporaries);
  std::string instruction(const std::string& mnemonic, std::string_view operands);
  std::string conversion();
  std::string packing();
  /// Sums of several words: nothing between its lines touches the carry flag.
  std::string carry_chain();

  SplitMix64& random_;
};

}  // namespace warptime::sim
