#include "routine_frame.h"

#include <fmt/format.h>

#include "memory_statements.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kMostThreads = 160;  // of a block

std::string registers(uint32_t names) {
  std::string out;
  for (const RegisterKind& kind : kRegisterKinds)
    out += fmt::format("  .reg .{} %{}<{}>;\n", kind.type, kind.letter, kind.count);
  out +=
      "  .reg .b16 %ht<2>;\n  .reg .b32 %rt<4>;\n  .reg .b64 %dt<2>;\n  .reg .pred %pt<1>, %q;\n"
      "  .reg .b32 %lin, %thread, %live, %depth;\n"
      "  .reg .b64 %in, %out, %sums, %shsums, %rec, %recg, %loc, %locg, %own, %owng, %ctab, %gtab, %gtabg;\n"
      "  .reg .b64 %slot, %slots, %lanes, %warp;\n";
  for (char letter : {'c', 'm', 'e'}) out += fmt::format("  .reg .b32 %{}<{}>;\n", letter, names + 1);
  return out;
}

/// Addresses, from %in and %out.
std::string addresses() {
  return fmt::format(R"(  .local .align 16 .b8 array[{local}];
  mov.u32 %lin, %tid.z;  mov.u32 %rt0, %ntid.y;  mov.u32 %rt1, %tid.y;  mad.lo.u32 %lin, %lin, %rt0, %rt1;
  mov.u32 %rt0, %ntid.x;  mov.u32 %rt1, %tid.x;  mad.lo.u32 %lin, %lin, %rt0, %rt1;
  mov.u32 %rt2, %ntid.y;  mul.lo.u32 %rt0, %rt0, %rt2;  mov.u32 %rt2, %ntid.z;  mul.lo.u32 %rt0, %rt0, %rt2;
  mov.u32 %rt1, %ctaid.y;  mov.u32 %rt2, %nctaid.x;  mov.u32 %rt3, %ctaid.x;  mad.lo.u32 %rt1, %rt1, %rt2, %rt3;
  mad.lo.u32 %thread, %rt1, %rt0, %lin;
  mov.b64 %sums, %out;
  mad.wide.u32 %rec, %thread, {record}, %out;  add.u64 %rec, %rec, {sums};  cvta.global.u64 %recg, %rec;
  mov.u64 %loc, array;  cvta.local.u64 %locg, %loc;
  mov.u64 %own, own;  mad.wide.u32 %own, %lin, {own}, %own;  cvta.shared.u64 %owng, %own;
  mov.u64 %shsums, shsums;  mov.u64 %slots, slots;  mad.wide.u32 %slot, %lin, 8, %slots;
  mov.u64 %lanes, lanes;  mad.wide.u32 %lanes, %lin, 8, %lanes;
  and.b32 %rt1, %lin, 0xffffffe0;  mov.u64 %warp, lanes;  mad.wide.u32 %warp, %rt1, 8, %warp;
  mov.u64 %ctab, ctab;  mov.u64 %gtab, gtab;  cvta.global.u64 %gtabg, %gtab;
)",
                     fmt::arg("local", kLocalBytes), fmt::arg("record", kRecordBytes), fmt::arg("sums", kSumBytes),
                     fmt::arg("own", kOwnBytes));
}

/// First values of everything, from %d0 and %d1.
std::string first_values() {
  std::string out;
  auto line = [&out]<class... T>(fmt::format_string<T...> text, T&&... values) {
    out += "  " + fmt::format(text, std::forward<T>(values)...) + "\n";
  };
  for (uint32_t i = 2; i < 8; ++i)
    line("mad.lo.u64 %d{}, %d{}, {:#x}, %d{};", i, i - 1, 0x5851f42d4c957f2du - i, i - 2);
  for (uint32_t i = 0; i < 10; ++i)
    if (i % 2 == 0) line("mov.b64 {{%r{}, %r{}}}, %d{};", i, i + 1, (i / 2 + 3) % 8);
  for (uint32_t i = 0; i < 6; i += 2) line("mov.b32 {{%h{}, %h{}}}, %r{};", i, i + 1, i + 1);
  for (uint32_t i = 0; i < 6; ++i) {
    if (i % 2 == 0) line("mov.b32 %f{}, %r{};", i, i + 2);
    else line("cvt.rn.f32.s32 %f{}, %r{};", i, i);
  }
  for (uint32_t i = 0; i < 4; ++i) {
    if (i % 2 == 0) line("mov.b64 %g{}, %d{};", i, i + 1);
    else line("cvt.rn.f64.s64 %g{}, %d{};", i, i + 2);
  }
  for (uint32_t i = 0; i < 6; ++i) line("setp.{}.s32 %p{}, %r{}, %r{};", i % 2 == 0 ? "lt" : "ge", i, i, i + 3);
  for (uint32_t i = 0; i < kLocalBytes / 8; ++i) line("st.local.b64 [%loc+{}], %d{};", 8 * i, i);
  for (uint32_t i = 0; i < 4; ++i) line("mov.u32 %u{0}, %ctaid.x;  mul.lo.u32 %u{0}, %u{0}, {1};", i, 2 * i + 3);
  return out;
}

std::string table(const char* space, const char* name, const char* type, uint32_t count, SplitMix64& random) {
  std::string out = fmt::format("{} .align 16 .{} {}[{}] = {{", space, type, name, count);
  for (uint32_t i = 0; i < count; ++i)
    out += fmt::format("{}{:#x}", i == 0 ? "" : ", ",
                       std::string_view(type) == "b32" ? random.next() >> 32 : random.next() >> 1);
  return out + "};\n";
}

constexpr const char* kParameters[] = {"a", "b", "c", "in", "out", "mask", "depth"};
constexpr const char* kParameterTypes[] = {"b64", "b64", "b32", "b64", "b64", "b32", "b32"};

/// The result is %d0, as an array %d0 and %d1.
std::string give_result(const Function& f) {
  if (f.arrays) return "  st.param.v2.b64 [result], {%d0, %d1};\n";
  return f.by_register ? "  mov.b64 result, %d0;\n" : "  st.param.b64 [result], %d0;\n";
}

}  // namespace

std::string module_declarations(uint64_t seed, const std::string& version_and_target) {
  SplitMix64 random(seed ^ 0x3333);
  size_t space = version_and_target.find(' ');
  std::string out = fmt::format(".version {}\n.target {}\n.address_size 64\n", version_and_target.substr(0, space),
                                version_and_target.substr(space + 1));
  out += table(".const", "ctab", "b32", kTableBytes / 4, random);
  out += table(".global", "gtab", "b64", kTableBytes / 8, random);
  return out + fmt::format(
                   ".shared .align 16 .b8 own[{}];\n.shared .align 16 .b64 shsums[{}];\n"
                   ".shared .align 16 .b64 slots[{}];\n.shared .align 16 .b64 lanes[{}];\n",
                   kMostThreads * kOwnBytes, kSumWords, kMostThreads, kMostThreads);
}

std::string kernel_head(const ProgramShape& shape, uint32_t names) {
  std::string out = ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + registers(names);
  out += "  ld.param.u64 %in, [in];\n  ld.param.u64 %out, [out];\n" + addresses();
  // The lanes of this warp that there are.
  out += fmt::format(
      "  and.b32 %rt1, %lin, 0xffffffe0;\n  sub.u32 %rt1, {0}, %rt1;\n  min.u32 %rt1, %rt1, 32;\n"
      "  bmsk.clamp.b32 %live, 0, %rt1;\n",
      shape.block_threads());
  out += fmt::format(
      "  and.b32 %rt0, %thread, {0:#x};\n  mad.wide.u32 %dt0, %rt0, 8, %in;\n  ld.global.b64 %d0, [%dt0];\n"
      "  mul.lo.u32 %rt0, %thread, 37;\n  and.b32 %rt0, %rt0, {0:#x};\n  mad.wide.u32 %dt0, %rt0, 8, %in;\n"
      "  ld.global.b64 %d1, [%dt0];\n",
      kInputWords - 1);
  out += "  mov.b32 %depth, 0;\n" + first_values();
  for (uint32_t i = 0; i < kOwnBytes / 8; ++i) out += fmt::format("  st.shared.b64 [%own+{}], %d{};\n", 8 * i, i + 2);
  out += "  st.shared.b64 [%slot], %d1;\n  st.shared.b64 [%lanes], %d2;\n  mov.b64 %dt0, 0x7f0102030405;\n";
  for (uint32_t i = 0; i < kSumWords; ++i) out += fmt::format("  st.shared.b64 [%shsums+{}], %dt0;\n", 8 * i);
  return out + "  bar.sync 0;\n";
}

std::string kernel_tail() {
  std::string out = "  bar.sync 0;\n  mov.b64 %dt0, 0;\n";
  for (uint32_t i = 0; i < kSumWords; ++i)
    out += fmt::format("  ld.shared.b64 %dt1, [%shsums+{}];\n  mad.lo.u64 %dt0, %dt0, 31, %dt1;\n", 8 * i);
  uint32_t at = kScratchBytes;
  auto store = [&](char letter, const char* type, uint32_t bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i, at += bytes)
      out += fmt::format("  st.global.{} [%rec+{}], %{}{};\n", type, at, letter, i);
  };
  store('d', "b64", 8, 8);
  store('g', "f64", 8, 4);
  store('r', "b32", 4, 10);
  store('f', "f32", 4, 6);
  store('h', "b16", 2, 6);
  out += "  mov.b32 %rt0, 0;\n";
  for (uint32_t i = 0; i < 6; ++i)
    out += fmt::format("  selp.u32 %rt1, {}, 0, %p{};\n  or.b32 %rt0, %rt0, %rt1;\n", 1u << i, i);
  out += fmt::format("  st.global.b32 [%rec+{}], %rt0;\n  st.global.b64 [%rec+{}], %dt0;\n", at, kRecordBytes - 8);
  return out + "  ret;\n}\n";
}

std::string function_head(const Function& f, uint32_t names) {
  std::string moves, list;
  const char* space = f.by_register ? ".reg" : ".param";
  for (size_t i = 0; i < std::size(kParameters); ++i) {
    list += fmt::format("{}{} .{} {}_{}", i == 0 ? "" : ", ", space, kParameterTypes[i], kParameters[i], f.name);
    static constexpr const char* kInto[] = {"%d0", "%d1", "%r0", "%in", "%out", "%live", "%depth"};
    if (f.by_register)
      moves += fmt::format("  mov.{} {}, {}_{};\n", kParameterTypes[i], kInto[i], kParameters[i], f.name);
    else moves += fmt::format("  ld.param.{} {}, [{}_{}];\n", kParameterTypes[i], kInto[i], kParameters[i], f.name);
  }
  std::string result = fmt::format("{} .b64 result", space), array;
  if (f.arrays) {
    result = ".param .align 16 .b8 result[16]";
    list += fmt::format(", .param .align 16 .b8 array_{}[32]", f.name);
    array = fmt::format(
        "  ld.param.v2.b64 {{%dt0, %dt1}}, [array_{0}];\n  st.local.v2.b64 [%loc], {{%dt0, %dt1}};\n"
        "  ld.param.v4.b16 {{%h0, %h1, %h2, %h3}}, [array_{0}+24];\n  ld.param.s8 %r1, [array_{0}+7];\n"
        "  ld.param.v2.f32 {{%f0, %f1}}, [array_{0}+16];\n",
        f.name);
  }
  // c is one of the registers that first values go to: it is mixed in.
  return fmt::format(".func ({}) {}({})\n{{\n", result, f.name, list) + registers(names) + moves +
         "  cvt.u64.u32 %dt0, %r0;\n  xor.b64 %d0, %d0, %dt0;\n" + addresses() + first_values() + array;
}

std::string function_tail(const Function& f) {
  std::string out;
  for (uint32_t i = 1; i < 8; ++i) out += fmt::format("  mad.lo.u64 %d0, %d0, 31, %d{};\n", i);
  for (uint32_t i = 0; i < 10; ++i)
    out += fmt::format("  cvt.u64.u32 %dt0, %r{};\n  mad.lo.u64 %d0, %d0, 31, %dt0;\n", i);
  for (uint32_t i = 0; i < 4; ++i) out += fmt::format("  mov.b64 %dt0, %g{};\n  mad.lo.u64 %d0, %d0, 31, %dt0;\n", i);
  for (uint32_t i = 0; i < 6; ++i)
    out += fmt::format(
        "  mov.b32 %rt0, %f{0};\n  cvt.u64.u32 %dt0, %rt0;\n  mad.lo.u64 %d0, %d0, 31, %dt0;\n"
        "  cvt.u64.u16 %dt0, %h{0};\n  selp.b64 %dt1, 5, 3, %p{0};\n  mad.lo.u64 %d0, %d0, %dt1, %dt0;\n",
        i);
  return out + give_result(f) + "  ret;\n}\n";
}

std::string early_return(Operations& operations, const Function& f) {
  return operations.filled("  and.b32 %rt0, $r, 7;\n  setp.eq.u32 %q, %rt0, 5;\n") + give_result(f) + "  @%q ret;\n";
}

std::string call_text(Operations& operations, const Function& f, const std::string& mask) {
  std::string d = operations.reg('d'), a = operations.reg('d'), c = operations.reg('r');
  std::string given[] = {a, d, c, "%in", "%out", mask.empty() ? "%live" : mask, "0"};
  std::string out = "  {\n", list;
  const char* space = f.by_register ? ".reg" : ".param";
  for (size_t i = 0; i < std::size(given); ++i) {
    out += fmt::format("  {} .{} x{};\n", space, kParameterTypes[i], i);
    if (f.by_register) out += fmt::format("  mov.{} x{}, {};\n", kParameterTypes[i], i, given[i]);
    else out += fmt::format("  st.param.{} [x{}], {};\n", kParameterTypes[i], i, given[i]);
    list += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
  }
  if (f.arrays) {
    out += operations.filled(
        "  .param .align 16 .b8 array_x[32];\n  .param .align 16 .b8 y[16];\n"
        "  st.param.v2.b64 [array_x], {$d, $d};\n  st.param.v4.b16 [array_x+24], {$h, $h, $h, $h};\n"
        "  st.param.f32 [array_x+16], $f;\n  st.param.b32 [array_x+20], $r;\n");
    out += fmt::format("  call (y), {}, ({}, array_x);\n  ld.param.v2.b64 {{{}, %dt0}}, [y];\n", f.name, list, d);
    return out + operations.filled("  xor.b64 $d, $d, %dt0;\n  }\n");
  }
  out += fmt::format("  {} .b64 y;\n  call (y), {}, ({});\n", space, f.name, list);
  return out + (f.by_register ? fmt::format("  mov.b64 {}, y;\n", d) : fmt::format("  ld.param.b64 {}, [y];\n", d)) +
         "  }\n";
}

}  // namespace warptime::sim
