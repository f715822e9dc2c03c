#include "wgmma_forms.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "made_numbers.h"

namespace warptime::sim {

using ptx::Type;

namespace {

uint32_t depth_of(Type type) { return type == Type::B1 ? 256 : 256 / ptx::bits(type); }

/// Matrices packed as tightly as the layouts allow; `rows`: of M or N.
WgmmaOperand packed(uint32_t swizzle, bool by_mn, uint32_t rows, uint32_t depth_bytes) {
  WgmmaOperand out{.swizzle = swizzle, .by_mn = by_mn};
  if (!by_mn) {  // core matrices of 8 rows of 16 bytes; a swizzled atom has 8 rows of its width
    out.leading = swizzle == 0 ? 128 : 16;
    out.stride = swizzle == 0 ? 128 * (depth_bytes / 16) : 8 * swizzle;
  } else if (swizzle == 0) {
    out.stride = 128;  // to the next eight of M or N
    out.leading = rows * 16;
  } else {
    out.stride = 8 * swizzle;              // to the next eight of K
    out.leading = 8 * swizzle * (16 / 8);  // to the next atom of M or N
  }
  return out;
}

WgmmaForm base_form(Type d, Type a, Type b, uint32_t n, bool sparse = false) {
  WgmmaForm out;
  out.d = d;
  out.a = a;
  out.b = b;
  out.n = n;
  out.sparse = sparse;
  out.k = depth_of(a) * (sparse ? 2 : 1);
  out.a_at = packed(0, false, 64, 32);
  out.b_at = packed(0, false, n, sparse ? 64 : 32);
  return out;
}

WgmmaOperand in_registers() { return {.in_registers = true}; }
bool has_scales(Type a) { return a == Type::TF32 || ptx::bits(a) == 16 || a == Type::E4M3 || a == Type::E5M2; }
bool may_be_by_mn(Type a) { return ptx::bits(a) == 16; }

struct WgmmaTypes {
  Type d, a, b;
};
std::vector<WgmmaTypes> all_types() {
  std::vector<WgmmaTypes> out{{Type::F32, Type::F16, Type::F16},
                              {Type::F16, Type::F16, Type::F16},
                              {Type::F32, Type::BF16, Type::BF16},
                              {Type::F32, Type::TF32, Type::TF32}};
  for (Type a : {Type::E4M3, Type::E5M2})
    for (Type b : {Type::E4M3, Type::E5M2})
      for (Type d : {Type::F32, Type::F16}) out.push_back({d, a, b});
  for (Type a : {Type::S8, Type::U8})
    for (Type b : {Type::S8, Type::U8}) out.push_back({Type::S32, a, b});
  out.push_back({Type::S32, Type::B1, Type::B1});
  return out;
}
bool is_legal_n(Type a, uint32_t n) {
  return ptx::bits(a) != 8 || a == Type::E4M3 || a == Type::E5M2 ? a != Type::B1 || n <= 24 || n % 16 == 0
                                                                 : n <= 24 || n % 16 == 0;
}

void add_types(std::vector<WgmmaForm>& out) {
  for (const WgmmaTypes& t : all_types())
    for (uint32_t n : {8u, 24u, 64u, 256u})
      for (bool registers : {false, true}) {
        WgmmaForm form = base_form(t.d, t.a, t.b, n);
        if (registers) form.a_at = in_registers();
        out.push_back(form);
        if (t.d != Type::S32 || t.a == Type::B1 || n > 24) continue;
        out.back().satfinite = n == 24;
        if (n == 24) out.push_back(form);
      }
}

void add_every_n(std::vector<WgmmaForm>& out) {
  for (const WgmmaTypes& t : {WgmmaTypes{Type::F32, Type::F16, Type::F16},
                              {Type::F16, Type::F16, Type::F16},
                              {Type::S32, Type::S8, Type::U8},
                              {Type::S32, Type::B1, Type::B1}})
    for (uint32_t n = 16; n < 256; n += 8)
      if (n != 24 && n != 64 && is_legal_n(t.a, n)) out.push_back(base_form(t.d, t.a, t.b, n));
}

/// Every swizzle, both majors, several starts in a swizzled row, wider strides, base offsets.
void add_layouts(std::vector<WgmmaForm>& out) {
  constexpr uint32_t kSwizzles[] = {0, 32, 64, 128};
  for (const WgmmaTypes& t : {WgmmaTypes{Type::F32, Type::F16, Type::F16},
                              {Type::F32, Type::BF16, Type::BF16},
                              {Type::F32, Type::TF32, Type::TF32},
                              {Type::F32, Type::E4M3, Type::E5M2},
                              {Type::S32, Type::U8, Type::S8},
                              {Type::S32, Type::B1, Type::B1}})
    for (uint32_t swizzle : kSwizzles)
      for (uint32_t majors = 0; majors < (may_be_by_mn(t.a) ? 4u : 1u); ++majors)
        for (uint32_t n : {16u, 80u, 256u}) {
          WgmmaForm form = base_form(t.d, t.a, t.b, n);
          form.a_at = packed(swizzle, (majors & 1) != 0, 64, 32);
          form.b_at = packed(kSwizzles[(swizzle / 32 + n / 16) % 4], (majors & 2) != 0, n, 32);
          out.push_back(form);
          if ((majors & 1) != 0) continue;
          form.a_at = in_registers();
          form.b_at = packed(swizzle, (majors & 2) != 0, n, 32);
          out.push_back(form);
        }
  // The second slice of K and later ones of a swizzled row; starts at other rows than the first of the pattern.
  for (uint32_t swizzle : {64u, 128u})
    for (uint32_t start = 32; start < swizzle; start += 32) {
      WgmmaForm form = base_form(Type::F32, Type::F16, Type::F16, 32);
      form.a_at = packed(swizzle, false, 64, 32);
      form.b_at = packed(swizzle, false, 32, 32);
      form.a_at.start = start;
      form.b_at.start = start;
      out.push_back(form);
    }
  for (bool by_mn : {false, true})
    for (uint32_t swizzle : {32u, 64u, 128u})
      for (uint32_t rows : {1u, 2u, 3u, 4u, 7u})
        for (bool named : {false, true}) {
          WgmmaForm form = base_form(Type::F32, Type::F16, Type::F16, 16);
          form.a_at = in_registers();
          form.b_at = packed(swizzle, by_mn, 16, 32);
          form.b_at.start = 128 * rows;
          form.b_at.base_offset = named ? rows : 0;
          out.push_back(form);
        }
}

void add_variants(std::vector<WgmmaForm>& out) {
  for (const WgmmaTypes& t : all_types()) {
    if (has_scales(t.a))
      for (uint32_t negated = 1; negated < 4; ++negated) {
        WgmmaForm form = base_form(t.d, t.a, t.b, 16);
        form.scale_a = (negated & 1) != 0 ? -1 : 1;
        form.scale_b = (negated & 2) != 0 ? -1 : 1;
        if (negated == 2) form.a_at = in_registers();
        out.push_back(form);
      }
    WgmmaForm form = base_form(t.d, t.a, t.b, 16);
    form.scale_d = false;
    out.push_back(form);
    if (t.d != Type::S32) {
      form = base_form(t.d, t.a, t.b, 8);
      form.contents = WgmmaForm::Contents::Few;
      out.push_back(form);
    }
    for (uint32_t chain : {0u, 1u, 2u}) {
      form = base_form(t.d, t.a, t.b, 8);
      form.groups = chain == 1 ? 1 : 2;
      form.each = chain == 0 ? 1 : 2;
      out.push_back(form);
    }
  }
}

void add_sparse(std::vector<WgmmaForm>& out) {
  for (const WgmmaTypes& t : all_types()) {
    if (t.a == Type::B1) continue;
    const uint32_t selectors = ptx::bits(t.a) == 8 ? 1 : 2;
    for (uint32_t n : {8u, 24u, 128u})
      for (bool registers : {false, true})
        for (uint32_t selector = 0; selector < selectors; ++selector) {
          WgmmaForm form = base_form(t.d, t.a, t.b, n, true);
          form.selector = selector;
          if (registers) form.a_at = in_registers();
          if (n == 24) form.b_at = packed(64, false, n, 64);
          if (n == 128 && may_be_by_mn(t.a)) form.b_at = packed(128, true, n, 64);
          if (n == 128 && may_be_by_mn(t.a) && !registers) form.a_at = packed(32, true, 64, 32);
          out.push_back(form);
        }
  }
}

uint32_t accumulator_bytes(const WgmmaForm& form) { return form.d_registers() * kWgmmaThreads * 4; }
uint32_t fragment_bytes(const WgmmaForm& form) {
  return ((form.a_at.in_registers ? form.a_registers() : 0) + (form.sparse ? 1 : 0)) * kWgmmaThreads * 4;
}
uint32_t block_bytes(const WgmmaForm& form) { return kWgmmaShared + accumulator_bytes(form) + fragment_bytes(form); }

std::string register_list(char letter, uint32_t count) {
  std::string out = "{";
  for (uint32_t i = 0; i < count; ++i) out += fmt::format("{}%{}{}", i == 0 ? "" : ", ", letter, i);
  return out + "}";
}

std::string instruction_text(const WgmmaForm& form) {
  std::string out = form.spelled() + " " + register_list('d', form.d_registers()) + ", ";
  out += form.a_at.in_registers ? register_list('a', form.a_registers()) : "%da";
  out += ", %db";
  if (form.sparse) out += fmt::format(", %e, {}", form.selector);
  out += ", %scale";
  if (has_scales(form.a)) out += fmt::format(", {}, {}", form.scale_a, form.scale_b);
  if (may_be_by_mn(form.a) && !form.a_at.in_registers) out += fmt::format(", {}", form.a_at.by_mn ? 1 : 0);
  if (may_be_by_mn(form.a)) out += fmt::format(", {}", form.b_at.by_mn ? 1 : 0);
  return out + ";";
}

uint64_t fields_of(const WgmmaOperand& at) {
  const uint64_t mode = at.swizzle == 128 ? 1 : at.swizzle == 64 ? 2 : at.swizzle == 32 ? 3 : 0;
  return uint64_t{at.leading / 16} << 16 | uint64_t{at.stride / 16} << 32 | uint64_t{at.base_offset} << 49 | mode << 62;
}

std::string kernel_text(const WgmmaForm& form, size_t index) {
  std::string out = fmt::format(".visible .entry k{}(.param .u64 operands, .param .u64 results)\n{{\n", index);
  out += "  .reg .b32 %thread, %block, %shared, %word, %end, %v, %e;\n  .reg .b64 %in, %out, %from, %da, %db;\n";
  out += fmt::format("  .reg .pred %p, %scale;\n  .reg .b32 %a<{}>;\n", form.a_registers());
  out += fmt::format("  .reg .{} %d<{}>;\n", form.d == Type::F32 ? "f32" : "b32", form.d_registers());
  out += fmt::format("  .shared .align 1024 .b8 memory[{}];\n", kWgmmaShared);
  out += "  mov.u32 %thread, %tid.x;\n  mov.u32 %block, %ctaid.x;\n  mov.u32 %shared, memory;\n";
  out += fmt::format("  ld.param.u64 %in, [operands];\n  mad.wide.u32 %in, %block, {}, %in;\n", block_bytes(form));
  out +=
      fmt::format("  ld.param.u64 %out, [results];\n  mad.wide.u32 %out, %block, {}, %out;\n", accumulator_bytes(form));
  out += "  mad.wide.u32 %from, %thread, 4, %in;\n  mad.lo.u32 %word, %thread, 4, %shared;\n";
  out += fmt::format("  add.u32 %end, %shared, {};\nfill:\n", kWgmmaShared);
  out += "  ld.global.u32 %v, [%from];\n  st.shared.u32 [%word], %v;\n  add.u64 %from, %from, 512;\n";
  out += "  add.u32 %word, %word, 512;\n  setp.lt.u32 %p, %word, %end;\n  @%p bra fill;\n";
  uint32_t at = 0;
  auto load = [&](const std::string& name, bool is_float) {
    out += fmt::format("  ld.global.{} {}, [%from+{}];\n", is_float ? "f32" : "b32", name, at);
    at += kWgmmaThreads * 4;
  };
  for (uint32_t i = 0; i < form.d_registers(); ++i) load(fmt::format("%d{}", i), form.d == Type::F32);
  for (uint32_t i = 0; form.a_at.in_registers && i < form.a_registers(); ++i) load(fmt::format("%a{}", i), false);
  if (form.sparse) load("%e", false);
  auto descriptor = [&](const char* name, const WgmmaOperand& operand, uint32_t place) {
    if (operand.in_registers) return;
    out += fmt::format("  add.u32 %v, %shared, {};\n  bfe.u32 %v, %v, 4, 14;\n  cvt.u64.u32 {}, %v;\n",
                       place + operand.start, name);
    out += fmt::format("  or.b64 {}, {}, 0x{:x};\n", name, name, fields_of(operand));
  };
  descriptor("%da", form.a_at, 0);
  descriptor("%db", form.b_at, kWgmmaB);
  out += fmt::format("  setp.{}.u32 %scale, %thread, %thread;\n", form.scale_d ? "eq" : "ne");
  out += "  fence.proxy.async;\n  bar.sync 0;\n  wgmma.fence.sync.aligned;\n";
  for (uint32_t group = 0; group < form.groups; ++group) {
    for (uint32_t i = 0; i < form.each; ++i) out += "  " + instruction_text(form) + "\n";
    out += "  wgmma.commit_group.sync.aligned;\n";
  }
  out += "  wgmma.wait_group.sync.aligned 0;\n  mad.wide.u32 %from, %thread, 4, %out;\n";
  for (uint32_t i = 0; i < form.d_registers(); ++i)
    out += fmt::format("  st.global.{} [%from+{}], %d{};\n", form.d == Type::F32 ? "f32" : "b32", i * kWgmmaThreads * 4,
                       i);
  return out + "  ret;\n}\n";
}

uint32_t word_of(Type type, uint32_t kind, bool sum, MadeNumbers& random) {
  const uint32_t bits = ptx::bits(type);
  if (bits == 1) return static_cast<uint32_t>(random.next());
  uint32_t out = 0;
  for (uint32_t at = 0; at < 32; at += bits) out |= static_cast<uint32_t>(made_number(type, kind, sum, random)) << at;
  return out;
}

/// A mask of those elements of a register, one in four, that are not zero: of a product then one in sixteen.
uint32_t few_elements(Type type, MadeNumbers& random) {
  const uint32_t bits = ptx::bits(type);
  uint32_t out = 0;
  for (uint32_t at = 0; at < 32; at += bits)
    if (random.below(4) == 0) out |= static_cast<uint32_t>((uint64_t{1} << bits) - 1) << at;
  return out;
}

/// f16 of a whole number below 1024.
uint32_t whole_f16(uint32_t number) {
  if (number == 0) return 0;
  const uint32_t top = 31 - static_cast<uint32_t>(__builtin_clz(number));
  return (15 + top) << 10 | (number - (1u << top)) << (10 - top);
}

/// The other matrix picks: row r of A is row r % 16 of the unit matrix; so is B, column for column.
void put_places(const WgmmaForm& form, std::byte* to) {
  auto put16 = [&](uint32_t at, uint32_t value) {
    const auto half = static_cast<uint16_t>(value);
    std::memcpy(to + at, &half, 2);
  };
  for (uint32_t i = 0; i < kWgmmaShared / 2; ++i) put16(2 * i, whole_f16(form.upper_digits ? i / 1024 : i % 1024));
  if (form.places_of_a) {  // B: 16 x 16, no swizzle, core matrices of 128 bytes
    for (uint32_t n = 0; n < 16; ++n)
      for (uint32_t k = 0; k < 16; ++k)
        put16(kWgmmaB + form.b_at.start + n / 8 * form.b_at.stride + k / 8 * form.b_at.leading + n % 8 * 16 + k % 8 * 2,
              n == k ? 0x3c00 : 0);
    return;
  }
  std::byte* fragments = to + kWgmmaShared + accumulator_bytes(form);
  for (uint32_t reg = 0; reg < 4; ++reg)
    for (uint32_t thread = 0; thread < kWgmmaThreads; ++thread) {
      const uint32_t lane = thread % 32, row = lane / 4 + 8 * (reg % 2), column = reg / 2 * 8 + lane % 4 * 2;
      const uint32_t word = column == row ? 0x3c00 : column + 1 == row ? 0x3c000000 : 0;
      std::memcpy(fragments + (reg * kWgmmaThreads + thread) * 4, &word, 4);
    }
}

}  // namespace

std::string WgmmaForm::spelled() const {
  return fmt::format("wgmma.mma_async{}.sync.aligned.m64n{}k{}.{}.{}.{}{}", sparse ? ".sp" : "", n, k, ptx::name(d),
                     ptx::name(a), ptx::name(b),
                     a == Type::B1 ? ".and.popc"
                     : satfinite   ? ".satfinite"
                                   : "");
}

std::string WgmmaForm::name() const {
  auto matrix = [](const WgmmaOperand& at) {
    if (at.in_registers) return std::string("registers");
    return fmt::format("{} {} start {} leading {} stride {} base {}", at.by_mn ? "mn" : "k", at.swizzle, at.start,
                       at.leading, at.stride, at.base_offset);
  };
  std::string out = fmt::format("{} | {} | {} | d {} a {} b {} groups {}x{}", spelled(), matrix(a_at), matrix(b_at),
                                scale_d ? 1 : 0, scale_a, scale_b, groups, each);
  if (sparse) out += fmt::format(" selector {}", selector);
  if (contents == Contents::Few) out += " few";
  if (contents == Contents::Places)
    out += fmt::format(" places of {} {}", places_of_a ? 'a' : 'b', upper_digits ? "upper" : "lower");
  return out;
}

std::vector<WgmmaForm> wgmma_forms() {
  std::vector<WgmmaForm> out;
  add_types(out);
  add_every_n(out);
  add_layouts(out);
  add_variants(out);
  add_sparse(out);
  return out;
}

std::vector<WgmmaForm> wgmma_place_forms() {
  std::vector<WgmmaForm> out;
  auto add = [&](bool of_a, const WgmmaOperand& at, uint32_t n) {
    for (bool upper : {false, true}) {
      WgmmaForm form = base_form(Type::F32, Type::F16, Type::F16, of_a ? 16 : n);
      (of_a ? form.a_at : form.b_at) = at;
      if (!of_a) form.a_at = in_registers();
      else form.b_at.start = 24 * 1024;
      form.scale_d = false;
      form.contents = WgmmaForm::Contents::Places;
      form.upper_digits = upper;
      form.places_of_a = of_a;
      out.push_back(form);
    }
  };
  for (bool of_a : {false, true})
    for (bool by_mn : {false, true})
      for (uint32_t swizzle : {0u, 32u, 64u, 128u}) {
        add(of_a, packed(swizzle, by_mn, 64, 32), 64);
        WgmmaOperand wide{.swizzle = swizzle, .by_mn = by_mn, .leading = 2048, .stride = 512};
        add(of_a, wide, 64);
        wide.leading = 272;  // strides with few factors
        wide.stride = 1168;
        add(of_a, wide, 64);
        for (uint32_t start : {16u, 32u, 64u, 96u, 128u, 384u, 640u, 896u})
          for (uint32_t base : {0u, 1u, 3u, 5u, 7u}) {
            if (base != 0 && (swizzle == 0 || (start / 128 != base && base != 1))) continue;
            WgmmaOperand shifted = packed(swizzle, by_mn, 64, 32);
            shifted.start = start;
            shifted.base_offset = base;
            add(of_a, shifted, 16);
          }
      }
  return out;
}

std::string wgmma_module(std::span<const WgmmaForm> forms, size_t first) {
  std::string out = ".version 8.8\n.target sm_90a\n.address_size 64\n";
  for (const WgmmaForm& form : forms) out += kernel_text(form, first++);
  return out;
}

size_t wgmma_result_bytes(const WgmmaForm& form) { return size_t{kWgmmaBlocks} * accumulator_bytes(form); }

std::vector<std::byte> wgmma_operands(const WgmmaForm& form) {
  std::vector<std::byte> out(size_t{kWgmmaBlocks} * block_bytes(form));
  uint64_t seed = 0;
  for (char c : form.name()) seed = scrambled(seed ^ static_cast<uint8_t>(c));
  MadeNumbers random{seed};
  for (uint32_t block = 0; block < kWgmmaBlocks; ++block) {
    std::byte* to = out.data() + size_t{block} * block_bytes(form);
    if (form.contents == WgmmaForm::Contents::Places) {
      put_places(form, to);
      continue;
    }
    const bool few = form.contents == WgmmaForm::Contents::Few;
    const uint32_t kind = few ? kFarNumbers : block % kNumberKinds;
    auto fill = [&](Type type, uint32_t bytes, bool sum) {
      for (uint32_t i = 0; i < bytes; i += 4, to += 4) {
        uint32_t word = word_of(type, kind, sum, random);
        if (few) word = sum ? (block % 2 == 0 ? 0 : word) : word & few_elements(type, random);
        std::memcpy(to, &word, 4);
      }
    };
    fill(form.a, kWgmmaB, false);
    fill(form.b, kWgmmaShared - kWgmmaB, false);
    fill(form.d, accumulator_bytes(form), true);
    if (form.a_at.in_registers) fill(form.a, form.a_registers() * kWgmmaThreads * 4, false);
    for (uint32_t thread = 0; form.sparse && thread < kWgmmaThreads; ++thread, to += 4) {
      const uint32_t word = made_metadata(form.a == Type::TF32, random);
      std::memcpy(to, &word, 4);
    }
  }
  return out;
}

std::vector<uint64_t> wgmma_hashes(const WgmmaForm& form, std::span<const std::byte> results) {
  constexpr uint32_t kWarps = kWgmmaThreads / 32;
  std::vector<uint64_t> out(kWgmmaBlocks);
  for (uint32_t block = 0; block < kWgmmaBlocks; ++block) {
    std::array<uint64_t, kWarps> of_warps{};
    for (uint32_t reg = 0; reg < form.d_registers(); ++reg)
      for (uint32_t thread = 0; thread < kWgmmaThreads; ++thread) {
        const size_t at = size_t{block} * accumulator_bytes(form) + (reg * kWgmmaThreads + thread) * 4;
        uint32_t word = 0;
        std::memcpy(&word, results.data() + at, 4);
        uint64_t& hash = of_warps[thread / 32];
        hash = scrambled(hash ^ word);
      }
    for (uint64_t hash : of_warps) out[block] = scrambled(out[block] ^ hash);
  }
  return out;
}

}  // namespace warptime::sim
