#include "matrix_forms.h"

#include <fmt/format.h>

#include <cstring>

#include "made_numbers.h"

namespace warptime::sim {

using ptx::Type;

namespace {

uint64_t register_number(const MatrixForm::Registers& of, uint32_t kind, MadeNumbers& random) {
  if (of.element == Type::None) return made_metadata(of.pairs, random);
  const uint32_t bits = ptx::bits(of.element);
  uint64_t out = 0;
  for (uint32_t at = 0; at < of.bits; at += bits) out |= made_number(of.element, kind, of.letter == 'c', random) << at;
  return out;
}

std::string list(char letter, uint32_t count) {
  std::string out = "{";
  for (uint32_t i = 0; i < count; ++i) out += fmt::format("{}%{}{}", i == 0 ? "" : ", ", letter, i);
  return out + "}";
}

/// A product of fragments in registers. `tail`: operands behind C.
MatrixForm product(const std::string& spelled, uint32_t d, uint32_t a, uint32_t b, uint32_t c, Type d_type, Type a_type,
                   Type b_type, Type c_type, const std::string& tail = "") {
  MatrixForm out;
  const uint32_t width = a_type == Type::F64 ? 64 : 32;
  out.text = fmt::format("{} {}, {}, {}, {}{};", spelled, list('d', d), list('a', a), list('b', b), list('c', c), tail);
  out.results = {{'d', d, width, d_type}};
  out.operands = {{'a', a, width, a_type}, {'b', b, width, b_type}, {'c', c, width, c_type}};
  return out;
}

std::string_view word(Type type) { return ptx::name(type); }

struct ShapeRegisters {
  std::string_view shape;
  uint32_t a, b, c;
};

void dense(std::vector<MatrixForm>& out) {
  const std::string mma = "mma.sync.aligned.";
  auto add = [&](const ShapeRegisters& s, std::string_view words, Type d, Type a, Type b, uint32_t sums,
                 const std::string& tail = "") {
    out.push_back(product(
        fmt::format("{}{}.row.col{}.{}.{}.{}.{}{}", mma, s.shape, words, word(d), word(a), word(b), word(d), tail),
        sums, s.a, s.b, sums, d, a, b, d));
  };
  for (std::string_view layouts : {"row.row", "row.col", "col.row", "col.col"})
    for (auto [d, c] : {std::pair{Type::F32, Type::F32}, {Type::F32, Type::F16}, {Type::F16, Type::F16}})
      out.push_back(product(fmt::format("{}m8n8k4.{}.{}.f16.f16.{}", mma, layouts, word(d), word(c)),
                            d == Type::F32 ? 8 : 4, 2, 2, c == Type::F32 ? 8 : 4, d, Type::F16, Type::F16, c));
  for (const ShapeRegisters& s : {ShapeRegisters{"m16n8k8", 2, 1, 4}, {"m16n8k16", 4, 2, 4}}) {
    add(s, "", Type::F32, Type::F16, Type::F16, 4);
    add(s, "", Type::F16, Type::F16, Type::F16, 2);
    add(s, "", Type::F32, Type::BF16, Type::BF16, 4);
  }
  add({"m16n8k4", 2, 1, 4}, "", Type::F32, Type::TF32, Type::TF32, 4);
  add({"m16n8k8", 4, 2, 4}, "", Type::F32, Type::TF32, Type::TF32, 4);
  for (const ShapeRegisters& s : {ShapeRegisters{"m16n8k16", 2, 1, 4}, {"m16n8k32", 4, 2, 4}})
    for (Type a : {Type::E4M3, Type::E5M2})
      for (Type b : {Type::E4M3, Type::E5M2}) {
        add(s, "", Type::F32, a, b, 4);
        add(s, "", Type::F16, a, b, 2);
      }
  for (const ShapeRegisters& s :
       {ShapeRegisters{"m8n8k4", 1, 1, 2}, {"m16n8k4", 2, 1, 4}, {"m16n8k8", 4, 2, 4}, {"m16n8k16", 8, 4, 4}})
    for (std::string_view rounding : {"", ".rn", ".rz", ".rm", ".rp"})
      add(s, rounding, Type::F64, Type::F64, Type::F64, s.c);
  auto integers = [&](Type first, Type second, std::initializer_list<ShapeRegisters> shapes) {
    for (const ShapeRegisters& s : shapes)
      for (Type a : {first, second})
        for (Type b : {first, second})
          for (std::string_view clamp : {"", ".satfinite"}) add(s, clamp, Type::S32, a, b, s.c);
  };
  integers(Type::S8, Type::U8, {{"m8n8k16", 1, 1, 2}, {"m16n8k16", 2, 1, 4}, {"m16n8k32", 4, 2, 4}});
  integers(Type::S4, Type::U4, {{"m8n8k32", 1, 1, 2}, {"m16n8k32", 2, 1, 4}, {"m16n8k64", 4, 2, 4}});
  for (const ShapeRegisters& s : {ShapeRegisters{"m8n8k128", 1, 1, 2}, {"m16n8k128", 2, 1, 4}, {"m16n8k256", 4, 2, 4}})
    for (const char* operation : {".xor.popc", ".and.popc"}) add(s, "", Type::S32, Type::B1, Type::B1, s.c, operation);
}

void sparse(std::vector<MatrixForm>& out) {
  auto add = [&](std::string_view shape, uint32_t registers, std::string_view words, Type d, Type a, Type b,
                 uint32_t sums, uint32_t selectors) {
    for (std::string_view kind : {"sp", "sp::ordered_metadata"})
      for (uint32_t selector = 0; selector < selectors; ++selector) {
        out.push_back(product(fmt::format("mma.{}.sync.aligned.{}.row.col{}.{}.{}.{}.{}", kind, shape, words, word(d),
                                          word(a), word(b), word(d)),
                              sums, registers, registers, sums, d, a, b, d, fmt::format(", %e0, {}", selector)));
        out.back().operands.push_back({'e', 1, 32, Type::None, a == Type::TF32});
      }
  };
  for (auto [shape, registers, selectors] : {std::tuple{"m16n8k16", 2u, 4u}, {"m16n8k32", 4u, 2u}}) {
    add(shape, registers, "", Type::F32, Type::F16, Type::F16, 4, selectors);
    add(shape, registers, "", Type::F16, Type::F16, Type::F16, 2, selectors);
    add(shape, registers, "", Type::F32, Type::BF16, Type::BF16, 4, selectors);
  }
  add("m16n8k8", 2, "", Type::F32, Type::TF32, Type::TF32, 4, 4);
  add("m16n8k16", 4, "", Type::F32, Type::TF32, Type::TF32, 4, 2);
  for (Type a : {Type::E4M3, Type::E5M2})
    for (Type b : {Type::E4M3, Type::E5M2}) add("m16n8k64", 4, "", Type::F32, a, b, 4, 1);
  for (Type a : {Type::S8, Type::U8})
    for (Type b : {Type::S8, Type::U8}) {
      add("m16n8k32", 2, "", Type::S32, a, b, 4, 2);
      add("m16n8k64", 4, ".satfinite", Type::S32, a, b, 4, 1);
    }
  for (Type a : {Type::S4, Type::U4})
    for (Type b : {Type::S4, Type::U4}) {
      add("m16n8k64", 2, "", Type::S32, a, b, 4, 2);
      add("m16n8k128", 4, ".satfinite", Type::S32, a, b, 4, 1);
    }
}

/// ldmatrix, stmatrix, movmatrix. The rows are all of 512 that shared memory has, in some order; lanes that give no
/// address have one outside.
void moves(std::vector<MatrixForm>& out) {
  for (uint32_t count : {1u, 2u, 4u})
    for (std::string_view trans : {"", ".trans"}) {
      MatrixForm load;
      load.text =
          fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [%row];", count, trans, list('d', count));
      load.results = {{'d', count, 32, Type::F16}};
      load.in_shared = Type::F16;
      out.push_back(load);
      MatrixForm store;
      store.text =
          fmt::format("stmatrix.sync.aligned.m8n8.x{}{}.shared.b16 [%row], {};", count, trans, list('a', count));
      store.operands = {{'a', count, 32, Type::F16}};
      store.in_shared = Type::F16;
      store.shows_shared = true;
      out.push_back(store);
    }
  MatrixForm move;
  move.text = "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;";
  move.operands = {{'a', 1, 32, Type::F16}};
  move.results = {{'d', 1, 32, Type::F16}};
  out.push_back(move);
}

struct WmmaShape {
  std::string_view shape;
  uint32_t m, n, k, a, b, c;  // registers
};

/// wmma: what lanes load, and whole products in memory: A from byte 0 on, B from 2048, C from 4096, and D there.
void wmma(std::vector<MatrixForm>& out) {
  struct Of {
    Type a, d, c;
    std::string_view types;  // of wmma.mma
    WmmaShape shape;
    bool any_layout = true;
    std::string_view operation = "", tail = "";
  };
  std::vector<Of> all;
  constexpr WmmaShape kF16[] = {
      {"m16n16k16", 16, 16, 16, 8, 8, 8}, {"m8n32k16", 8, 32, 16, 8, 8, 8}, {"m32n8k16", 32, 8, 16, 8, 8, 8}};
  constexpr WmmaShape kBF16[] = {
      {"m16n16k16", 16, 16, 16, 4, 4, 8}, {"m8n32k16", 8, 32, 16, 2, 8, 8}, {"m32n8k16", 32, 8, 16, 8, 2, 8}};
  constexpr WmmaShape kBytes[] = {
      {"m16n16k16", 16, 16, 16, 2, 2, 8}, {"m8n32k16", 8, 32, 16, 1, 4, 8}, {"m32n8k16", 32, 8, 16, 4, 1, 8}};
  for (const WmmaShape& s : kF16) {
    all.push_back({Type::F16, Type::F32, Type::F32, "f32.f32", s});
    all.push_back({Type::F16, Type::F16, Type::F16, "f16.f16", s});
    all.push_back({Type::F16, Type::F32, Type::F16, "f32.f16", s});
    all.push_back({Type::F16, Type::F16, Type::F32, "f16.f32", s});
  }
  for (const WmmaShape& s : kBF16) all.push_back({Type::BF16, Type::F32, Type::F32, "f32.bf16.bf16.f32", s});
  all.push_back({Type::TF32, Type::F32, Type::F32, "f32.tf32.tf32.f32", {"m16n16k8", 16, 16, 8, 4, 4, 8}});
  for (const char* rounding : {"", ".rz"})
    all.push_back({Type::F64, Type::F64, Type::F64, "f64.f64.f64.f64", {"m8n8k4", 8, 8, 4, 1, 1, 2}, true, rounding});
  for (const WmmaShape& s : kBytes)
    for (const char* tail : {"", ".satfinite"}) {
      all.push_back({Type::S8, Type::S32, Type::S32, "s32.s8.s8.s32", s, true, "", tail});
      all.push_back({Type::U8, Type::S32, Type::S32, "s32.u8.u8.s32", s, true, "", tail});
    }
  for (const char* tail : {"", ".satfinite"}) {
    all.push_back({Type::S4, Type::S32, Type::S32, "s32.s4.s4.s32", {"m8n8k32", 8, 8, 32, 1, 1, 2}, false, "", tail});
    all.push_back({Type::U4, Type::S32, Type::S32, "s32.u4.u4.s32", {"m8n8k32", 8, 8, 32, 1, 1, 2}, false, "", tail});
  }
  for (const char* operation : {".xor.popc", ".and.popc"})
    all.push_back(
        {Type::B1, Type::S32, Type::S32, "s32.b1.b1.s32", {"m8n8k128", 8, 8, 128, 1, 1, 2}, false, operation});
  auto registers_of = [](Type type, uint32_t count) { return type == Type::F16 ? count / 2 : count; };
  for (const Of& of : all) {
    const WmmaShape& s = of.shape;
    const bool f64 = of.a == Type::F64, bits = of.a == Type::B1;
    const uint32_t pad = of.any_layout ? 16 / (ptx::bits(of.a) / 8) : 0;  // strides are more than a row
    for (std::string_view a_layout : {"row", "col"})
      for (std::string_view b_layout : {"row", "col"}) {
        if (!of.any_layout && (a_layout != "row" || b_layout != "col")) continue;
        const uint32_t a_stride = (a_layout == "row" ? s.k : s.m) + pad,
                       b_stride = (b_layout == "row" ? s.n : s.k) + pad;
        const std::string_view c_layout = a_layout == "row" ? "row" : "col", d_layout = b_layout;
        const uint32_t c_stride = (c_layout == "row" ? s.n : s.m) + 8, d_stride = (d_layout == "row" ? s.n : s.m) + 8;
        const uint32_t c_count = registers_of(of.c, s.c), d_count = registers_of(of.d, s.c);
        MatrixForm form;
        std::string load = "wmma.load.{}.sync.aligned.{}.{}.shared.{} {}, [%shared+{}], {}; ";
        form.text = fmt::format(fmt::runtime(load), "a", a_layout, s.shape, word(of.a), list('g', s.a), 0, a_stride);
        form.text +=
            fmt::format(fmt::runtime(load), "b", b_layout, s.shape, word(of.a), list('h', s.b), 2048, b_stride);
        form.text +=
            fmt::format(fmt::runtime(load), "c", c_layout, s.shape, word(of.c), list('i', c_count), 4096, c_stride);
        form.text +=
            fmt::format("wmma.mma{}.sync.aligned.{}.{}.{}{}.{}{} {}, {}, {}, {}; ", f64 || !bits ? "" : of.operation,
                        a_layout, b_layout, s.shape, f64 ? of.operation : "", of.types, of.tail, list('d', d_count),
                        list('g', s.a), list('h', s.b), list('i', c_count));
        form.text += fmt::format("wmma.store.d.sync.aligned.{}.{}.shared.{} [%shared+4096], {}, {};", d_layout, s.shape,
                                 word(of.d), list('d', d_count), d_stride);
        const uint32_t width = f64 ? 64 : 32;
        form.results = {
            {'g', s.a, width, of.a}, {'h', s.b, width, of.a}, {'i', c_count, width, of.c}, {'d', d_count, width, of.d}};
        form.in_shared = of.a;
        form.shows_shared = true;
        out.push_back(form);
      }
  }
}

uint32_t register_bytes(const std::vector<MatrixForm::Registers>& all) {
  uint32_t registers = 0;
  for (const MatrixForm::Registers& r : all) registers += r.count;
  return registers * kMatrixLanes * 8;
}
/// Bytes of one fragment.
uint32_t bytes_before(const MatrixForm& form) {
  return register_bytes(form.operands) + (form.in_shared != Type::None ? kMatrixShared : 0);
}
uint32_t bytes_after(const MatrixForm& form) {
  return register_bytes(form.results) + (form.shows_shared ? kMatrixShared : 0);
}

std::string kernel_text(const MatrixForm& form, size_t index) {
  std::string out = fmt::format(".visible .entry k{}(.param .u64 operands, .param .u64 results)\n{{\n", index);
  out +=
      "  .reg .u32 %lane, %block, %shared, %row, %word, %end;\n  .reg .u64 %in, %out, %from, %to;\n  .reg .pred %p;\n";
  out += fmt::format("  .shared .align 128 .b8 memory[{}];\n", kMatrixShared);
  auto declare = [&](const std::vector<MatrixForm::Registers>& all) {
    for (const auto& r : all) out += fmt::format("  .reg .b{} %{}<{}>;\n", r.bits, r.letter, r.count);
  };
  declare(form.operands);
  declare(form.results);
  out += "  mov.u32 %lane, %tid.x;\n  mov.u32 %block, %ctaid.x;\n  mov.u32 %shared, memory;\n";
  out += fmt::format("  ld.param.u64 %in, [operands];\n  mad.wide.u32 %in, %block, {}, %in;\n", bytes_before(form));
  out += fmt::format("  ld.param.u64 %out, [results];\n  mad.wide.u32 %out, %block, {}, %out;\n", bytes_after(form));
  auto copy = [&](bool in, uint32_t offset) {
    std::string label = in ? "copy_in" : "copy_out";
    out += fmt::format("  mad.wide.u32 %from, %lane, 4, {};\n  mad.lo.u32 %word, %lane, 4, %shared;\n",
                       in ? "%in" : "%out");
    out +=
        fmt::format("  add.u64 %from, %from, {};\n  add.u32 %end, %shared, {};\n{}:\n", offset, kMatrixShared, label);
    out += in ? "  ld.global.u32 %block, [%from];\n  st.shared.u32 [%word], %block;\n"
              : "  ld.shared.u32 %block, [%word];\n  st.global.u32 [%from], %block;\n";
    out += fmt::format(
        "  add.u64 %from, %from, 128;\n  add.u32 %word, %word, 128;\n  setp.lt.u32 %p, %word, %end;\n"
        "  @%p bra {};\n  bar.sync 0;\n",
        label);
  };
  if (form.in_shared != Type::None) copy(true, register_bytes(form.operands));
  // Row 7 * lane + 3 of 512, which all differ.
  out += "  mad.lo.u32 %row, %lane, 112, %shared;\n  add.u32 %row, %row, 48;\n";
  out += "  mad.wide.u32 %from, %lane, 8, %in;\n  mad.wide.u32 %to, %lane, 8, %out;\n";
  uint32_t at = 0;
  for (const auto& r : form.operands)
    for (uint32_t i = 0; i < r.count; ++i, at += kMatrixLanes * 8)
      out += fmt::format("  ld.global.b{} %{}{}, [%from+{}];\n", r.bits, r.letter, i, at);
  out += "  " + form.text + "\n";
  at = 0;
  for (const auto& r : form.results)
    for (uint32_t i = 0; i < r.count; ++i, at += kMatrixLanes * 8)
      out += fmt::format("  st.global.b{} [%to+{}], %{}{};\n", r.bits, at, r.letter, i);
  if (form.shows_shared) {
    out += "  bar.sync 0;\n";
    copy(false, register_bytes(form.results));
  }
  return out + "  ret;\n}\n";
}

}  // namespace

std::vector<MatrixForm> matrix_forms() {
  std::vector<MatrixForm> out;
  dense(out);
  moves(out);
  sparse(out);
  wmma(out);
  return out;
}

std::string matrix_module(std::span<const MatrixForm> forms, size_t first) {
  std::string out = ".version 8.8\n.target sm_90\n.address_size 64\n";
  for (const MatrixForm& form : forms) out += kernel_text(form, first++);
  return out;
}

size_t operand_bytes(const MatrixForm& form) { return size_t{kMatrixFragments} * bytes_before(form); }
size_t result_bytes(const MatrixForm& form) { return size_t{kMatrixFragments} * bytes_after(form); }

std::vector<std::byte> matrix_operands(const MatrixForm& form) {
  std::vector<std::byte> out(operand_bytes(form) + 8);
  MadeNumbers random{form.text.size() * 1000003 + static_cast<uint8_t>(form.text[form.text.size() / 2])};
  size_t at = 0;
  auto put = [&](uint64_t value, size_t bytes) {
    std::memcpy(out.data() + at, &value, bytes);
    at += bytes;
  };
  for (uint32_t fragment = 0; fragment < kMatrixFragments; ++fragment) {
    const uint32_t kind = fragment % kNumberKinds;
    for (const MatrixForm::Registers& r : form.operands)
      for (uint32_t i = 0; i < r.count * kMatrixLanes; ++i) put(register_number(r, kind, random), 8);
    if (form.in_shared == Type::None) continue;
    // A and B; behind them accumulators.
    MatrixForm::Registers factors{'a', 1, 32, form.in_shared}, sums{'c', 1, 32, Type::F32};
    if (form.in_shared == Type::F64) factors.bits = sums.bits = 64, sums.element = Type::F64;
    else if (!is_floating(form.in_shared)) sums.element = Type::S32;
    if (form.text.find("f16.f16") != std::string::npos || form.text.find("f32.f16") != std::string::npos)
      sums.element = Type::F16;
    for (uint32_t byte = 0; byte < kMatrixShared; byte += factors.bits / 8)
      put(register_number(byte < 4096 ? factors : sums, kind, random), factors.bits / 8);
  }
  out.resize(operand_bytes(form));
  return out;
}

std::vector<uint64_t> fragment_hashes(const MatrixForm& form, std::span<const std::byte> results) {
  std::vector<uint64_t> out;
  const size_t bytes = bytes_after(form);
  for (size_t at = 0; at + bytes <= results.size(); at += bytes) {
    uint64_t hash = 0;
    for (size_t i = 0; i < bytes; i += 8) {
      uint64_t word_of = 0;
      std::memcpy(&word_of, results.data() + at + i, 8);
      hash = scrambled(hash ^ word_of);
    }
    out.push_back(hash);
  }
  return out;
}

}  // namespace warptime::sim
