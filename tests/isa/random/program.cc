#include "program.h"

#include <fmt/format.h>

#include "base/random.h"

namespace warptime::sim {

namespace {

void append(std::string& out, const std::vector<Statement>& statements) {
  for (const Statement& s : statements) {
    for (size_t i = 0; i < s.lines.size(); ++i) {
      out += s.lines[i];
      if (i < s.bodies.size()) append(out, s.bodies[i]);
    }
  }
}

size_t count_of(const std::vector<Statement>& statements) {
  size_t count = statements.size();
  for (const Statement& s : statements)
    for (const auto& body : s.bodies) count += count_of(body);
  return count;
}

std::string bytes_of(uint64_t value, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

/// The number at a place of a digest.
uint64_t number_at(const std::string& digest, size_t at, size_t count) {
  uint64_t out = 0;
  for (size_t i = 0; i < count; ++i) out |= uint64_t{static_cast<unsigned char>(digest[at + i])} << (8 * i);
  return out;
}

}  // namespace

std::string text_of(const Program& program) {
  std::string out = program.declarations;
  for (const Routine& routine : program.routines) {
    out += routine.head;
    append(out, routine.body);
    out += routine.tail;
  }
  return out;
}

uint64_t output_bytes(const Program& program) { return kSumBytes + uint64_t{program.shape.threads()} * kRecordBytes; }

std::vector<uint64_t> input_of(const Program& program) {
  SplitMix64 random(program.seed ^ 0x1111);
  std::vector<uint64_t> out(kInputWords);
  for (uint64_t& word : out) {
    word = random.next();
    switch (random.below(8)) {
      case 0: word >>= random.below(64); break;                                // small
      case 1: word = uint64_t{0} - (word >> random.below(64)); break;          // small and negative
      case 2: word = (word & 0x807fffff807fffff) | 0x3f0000003f000000; break;  // f32 of about 1
      case 3: word = (word & 0x8007ffffffffffff) | 0x3fe0000000000000; break;  // f64 of about 1
      case 4: word &= 0x807fffff807fffff; break;                               // subnormal f32
      case 5: word = random.below(2) == 0 ? 0x7f800000ff800000 : 0x0000000000000000; break;
      default: break;
    }
  }
  return out;
}

std::vector<uint64_t> initial_output(const Program& program) {
  SplitMix64 random(program.seed ^ 0x2222);
  std::vector<uint64_t> out(output_bytes(program) / 8);
  for (uint64_t& word : out) word = random.next();
  return out;
}

size_t statement_count(const Program& program) {
  size_t count = 0;
  for (const Routine& routine : program.routines) count += count_of(routine.body);
  return count;
}

uint64_t hash_of(const void* bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (size_t i = 0; i < count; ++i) hash = (hash ^ at[i]) * 0x100000001b3;
  return hash;
}

std::string digest_of(const Program& program, const std::vector<uint64_t>& output) {
  std::string text = text_of(program);
  std::string out =
      bytes_of(hash_of(text.data(), text.size()), 8) + bytes_of(hash_of(output.data(), output.size() * 8), 8);
  out += bytes_of(hash_of(output.data(), kSumBytes), 2);
  for (size_t at = kSumBytes / 8; at < output.size(); at += kRecordBytes / 8)
    out += bytes_of(hash_of(&output[at], kRecordBytes), 2);
  return out;
}

std::string digest_difference(const std::string& expected, const std::string& got) {
  if (expected == got) return {};
  constexpr size_t kHead = 16, kEach = 2;
  if (expected.size() < kHead || got.size() < kHead || number_at(expected, 0, 8) != number_at(got, 0, 8))
    return "its text is not the one that was recorded: the generator has changed, record anew";
  if (expected.size() != got.size()) return "another number of threads";
  std::string out;
  size_t differ = 0;
  for (size_t at = kHead; at < expected.size(); at += kEach) {
    if (number_at(expected, at, kEach) == number_at(got, at, kEach)) continue;
    if (++differ > 4) continue;
    size_t record = (at - kHead) / kEach;
    out += record == 0 ? "the common words, " : fmt::format("thread {}, ", record - 1);
  }
  return fmt::format("{}{} records differ", out, differ);
}

}  // namespace warptime::sim
