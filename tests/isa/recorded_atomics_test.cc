// Atomic operations against what an H200 returned: minima and maxima of vectors of half precision, words of 128 bits,
// and the predicate %is_explicit_cluster (recorded/half_minima.cu, wide_atomics.cu, explicit_cluster.cu).
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "recorded_text.h"

namespace warptime {

namespace {

using recorded::Kernel;

constexpr size_t kHalves = 256;

uint16_t half_sample(bool bf16, uint32_t number) {
  static constexpr uint16_t kF16[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x83ff, 0x400,  0x8400, 0x3c00, 0xbc00,
                                      0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0xfc01, 0x7fff, 0xffff};
  static constexpr uint16_t kBF16[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x807f, 0x80,   0x8080, 0x3f80, 0xbf80,
                                       0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7f81, 0xff81, 0x7fff, 0xffff};
  return bf16 ? recorded::drawn(kBF16, number) : recorded::drawn(kF16, number);
}

/// "[red_]v2_f16x2_min": what the instruction is, and the halves of one vector.
struct VectorForm {
  std::string type, operation;
  uint32_t count = 0, bytes = 0;
  bool has_result = true;

  explicit VectorForm(std::string name) {
    if (name.rfind("red_", 0) == 0) {
      has_result = false;
      name = name.substr(4);
    }
    const size_t first = name.find('_'), last = name.rfind('_');
    count = static_cast<uint32_t>(std::stoul(name.substr(1, first - 1)));
    type = name.substr(first + 1, last - first - 1);
    operation = name.substr(last + 1);
    bytes = type.find("x2") != std::string::npos ? 4 : 2;
  }
  std::string list(uint32_t first) const {
    std::string out = "{";
    for (uint32_t i = 0; i < count; ++i)
      out += fmt::format("{}%{}{}", i == 0 ? "" : ", ", bytes == 4 ? "r" : "h", first + i);
    return out + "}";
  }
  /// Memory, the operands and the old words are at %rd0, %rd1 and %rd2.
  std::string kernel() const {
    std::string out =
        fmt::format("mul.wide.u32 %rd4, %r0, {}; add.u64 %rd0, %rd0, %rd4; add.u64 %rd1, %rd1, %rd4;\n", count * bytes);
    for (uint32_t i = 0; i < count; ++i)
      out += fmt::format("ld.global.b{} %{}{}, [%rd1+{}];\n", bytes * 8, bytes == 4 ? "r" : "h", 4 + i, i * bytes);
    if (!has_result)
      return out + fmt::format("red.global.{}.noftz.v{}.{} [%rd0], {};", operation, count, type, list(4));
    out += fmt::format("atom.global.{}.noftz.v{}.{} {}, [%rd0], {};\nadd.u64 %rd2, %rd2, %rd4;\n", operation, count,
                       type, list(16), list(4));
    for (uint32_t i = 0; i < count; ++i)
      out += fmt::format("st.global.b{} [%rd2+{}], %{}{};\n", bytes * 8, i * bytes, bytes == 4 ? "r" : "h", 16 + i);
    return out;
  }
};

using Word = std::array<uint64_t, 2>;

/// A line "values KIND WORDS": lanes exchange or compare words in global or shared memory (the kernel `values` there).
std::string wide_kernel(uint32_t kind, uint32_t words) {
  const bool compares = (kind & 1) != 0, in_shared = kind == 2 || kind == 3 || kind == 5, generic = kind >= 4;
  std::string out =
      "mul.wide.u32 %rd4, %r0, 16; add.u64 %rd5, %rd0, %rd4; ld.global.v2.b64 {%rd10, %rd11}, [%rd5];\n"
      "mov.u32 %r3, shared; shl.b32 %r4, %r0, 4; add.u32 %r4, %r4, %r3; st.shared.v2.b64 [%r4], {%rd10, %rd11};\n"
      "bar.warp.sync -1;\n";
  out += fmt::format(
      "rem.u32 %r5, %r0, {}; mul.wide.u32 %rd6, %r5, 16; add.u64 %rd7, %rd0, %rd6; shl.b32 %r6, %r5, 4;\n"
      "add.u32 %r7, %r6, %r3; cvt.u64.u32 %rd8, %r7; cvta.shared.u64 %rd9, %rd8; cvt.u64.u32 %rd3, %r0;\n"
      "add.u64 %rd12, %rd3, 1000; add.u64 %rd13, %rd3, 2000; add.u64 %rd14, %rd3, 3000; add.u64 %rd15, %rd3, 4000;\n",
      words);
  if (compares)
    out +=
        "ld.global.v2.b64 {%rd12, %rd13}, [%rd7]; rem.u32 %r8, %r0, 3; setp.eq.u32 %p1, %r8, 1; setp.eq.u32 %p2, %r8, "
        "2;\n@%p1 xor.b64 %rd12, %rd12, 1; @%p2 xor.b64 %rd13, %rd13, 0x8000000000000000;\n";
  out += "bar.warp.sync -1; mov.b128 %q1, {%rd12, %rd13}; mov.b128 %q2, {%rd14, %rd15};\n";
  out += fmt::format("atom{}.{}.b128 %q0, [{}], %q1{};\n",
                     generic     ? ""
                     : in_shared ? ".shared"
                                 : ".global",
                     compares ? "cas" : "exch",
                     !in_shared ? "%rd7"
                     : generic  ? "%rd9"
                                : "%r7",
                     compares ? ", %q2" : "");
  out +=
      "bar.warp.sync -1; mov.b128 {%rd16, %rd17}, %q0; add.u64 %rd18, %rd1, %rd4;\n"
      "st.global.v2.b64 [%rd18], {%rd16, %rd17};\n";
  out += in_shared ? "ld.shared.v2.b64 {%rd16, %rd17}, [%r4];\n" : "ld.global.v2.b64 {%rd16, %rd17}, [%rd5];\n";
  return out + "st.global.v2.b64 [%rd18+512], {%rd16, %rd17};\n";
}

}  // namespace

TEST_CASE("minima and maxima of vectors of half precision are those of a GPU", "[recorded]") {
  const auto lines = recorded::lines_of("half_minima.gz");
  CHECK(lines.size() == 21);
  for (uint32_t number = 0; number < lines.size(); ++number) {
    const std::string &name = lines[number].at(0), &wanted = lines[number].at(2);
    const VectorForm form(name);
    const bool bf16 = form.type.rfind("bf16", 0) == 0;
    std::vector<uint16_t> memory, operands;
    for (uint32_t i = 0; i < kHalves; ++i) {
      memory.push_back(half_sample(bf16, number * 1024 + 2 * i));
      operands.push_back(half_sample(bf16, number * 1024 + 2 * i + 1));
    }
    for (bool functional : {true, false}) {
      INFO(name << (functional ? ", functional" : ", timed"));
      Kernel kernel(form.kernel(), functional);
      const host::Buffer at = kernel.buffer(memory), b = kernel.buffer(operands), old = kernel.buffer(memory);
      kernel.run(static_cast<uint32_t>(kHalves * 2 / (form.count * form.bytes)), at, b, old);
      std::string found;
      for (uint16_t half : kernel.read<uint16_t>(at, kHalves)) found += fmt::format("{:04x}", half);
      CHECK(found == wanted);
      CHECK(kernel.read<uint16_t>(old, kHalves) == memory);
    }
  }
}

TEST_CASE("exchanged and compared words of 128 bits are those of a GPU", "[recorded]") {
  size_t cases = 0;
  for (const std::vector<std::string>& line : recorded::lines_of("wide_atomics.gz")) {
    if (line.at(0) != "values") continue;  // others are times
    ++cases;
    const auto kind = static_cast<uint32_t>(std::stoul(line.at(1)));
    const auto words = static_cast<uint32_t>(std::stoul(line.at(2)));
    for (bool functional : {true, false}) {
      INFO("kind " << kind << ", words " << words << (functional ? ", functional" : ", timed"));
      Kernel kernel(wide_kernel(kind, words), functional);
      std::vector<Word> memory(32);
      for (uint64_t i = 0; i < 32; ++i) memory[i] = {10 + i, 20 + i};
      const host::Buffer at = kernel.buffer(memory), out = kernel.buffer(std::vector<Word>(64));
      kernel.run(32, at, out, at);
      std::vector<std::string> found{"values", line[1], line[2]};
      for (const Word& word : kernel.read<Word>(out, 64)) found.push_back(fmt::format("{:x},{:x}", word[0], word[1]));
      CHECK(found == line);
    }
  }
  CHECK(cases == 18);
}

TEST_CASE("%is_explicit_cluster says what it says on a GPU", "[recorded]") {
  // "NAME attribute N: no error A B": the kernel's own shape, that of the launch, the answers in two blocks.
  const auto lines = recorded::lines_of("explicit_cluster.gz");
  CHECK(lines.size() == 7);
  for (const std::vector<std::string>& line : lines) {
    const std::string directives =
        line.at(0) == "plain" ? "" : fmt::format(".reqnctapercluster {}, 1, 1", line[0] == "dims1" ? 1 : 2);
    const auto cluster = static_cast<uint32_t>(std::stoul(line.at(2)));
    for (bool functional : {true, false}) {
      INFO(line[0] << " " << cluster << (functional ? ", functional" : ", timed"));
      const std::string body =
          "mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd0, %rd0, %rd4; mov.u32 %r4, 0;\n"
          "mov.pred %p1, %is_explicit_cluster; @%p1 add.u32 %r4, %r4, 1; @%is_explicit_cluster add.u32 %r4, %r4, 2;\n"
          "@!%is_explicit_cluster add.u32 %r4, %r4, 4; st.global.u32 [%rd0], %r4;";
      Kernel kernel(body, functional, directives);
      const host::Buffer out = kernel.buffer(std::vector<uint32_t>(2));
      host::LaunchOptions options;
      if (cluster != 0) options.cluster = {cluster, 1, 1};
      kernel.run(32, out, out, out, 2, options);
      for (size_t block = 0; block < 2; ++block)
        CHECK(kernel.read<uint32_t>(out, 2)[block] == (line.at(5 + block) == "1" ? 3u : 4u));
    }
  }
}

}  // namespace warptime
