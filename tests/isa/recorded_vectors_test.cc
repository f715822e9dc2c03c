// Every form against the bits that a real GPU gave (recorded/vectors*.gz): lane code on every host instruction set, and
// the kernels as they were recorded, whole, on the machine `generic`.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "form_runner.h"
#include "host/device/device.h"
#include "sim/exec/handler_table.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "vector_file.h"
#include "vector_forms.h"

namespace warptime::sim {

namespace {

/// What all files of golden vectors hold.
const VectorFile& recorded() {
  static const VectorFile all = [] {
    VectorFile out;
    for (const auto& entry : std::filesystem::directory_iterator(WARPTIME_SOURCE_DIR "/tests/isa/recorded")) {
      std::string name = entry.path().filename().string();
      if (!name.starts_with("vectors") || !name.ends_with(".gz")) continue;
      for (auto& [text, form] : read_vectors(entry.path().string()).forms)
        if (!out.forms.emplace(text, form).second) throw std::runtime_error("recorded twice: " + text);
    }
    return out;
  }();
  return all;
}

/// Approximate instructions: how far from the recorded value the model may be, in units in the last place or as an
/// absolute difference. What is more than 2 units has a row in docs/deviations.md.
struct Approximate {
  std::string_view prefix;
  uint64_t ulps = 2;
  float absolute = 0;
};
constexpr uint64_t kUpperWord = uint64_t{1} << 32;
constexpr std::array kApproximate{Approximate{"ex2.approx.f16", 1},
                                  Approximate{"ex2.approx.ftz.bf16", 1},
                                  Approximate{"tanh.approx.f16", 1},
                                  Approximate{"tanh.approx.bf16", 1},
                                  Approximate{"rcp.approx.ftz.f64", kUpperWord},
                                  Approximate{"rsqrt.approx.ftz.f64", kUpperWord},
                                  Approximate{"rsqrt.approx.f64"},
                                  Approximate{"rcp.approx"},
                                  Approximate{"sqrt.approx"},
                                  Approximate{"rsqrt.approx"},
                                  Approximate{"div.approx"},
                                  Approximate{"div.full"},
                                  Approximate{"ex2.approx"},
                                  Approximate{"lg2.approx", 2, 0x1.2p-23f},
                                  Approximate{"sin.approx", 2, 0x1.5p-22f},
                                  Approximate{"cos.approx", 2, 0x1.3p-22f},
                                  Approximate{"tanh.approx", 114}};

const Approximate* approximate(std::string_view text) {
  for (const Approximate& a : kApproximate)
    if (text.starts_with(a.prefix)) return &a;
  return nullptr;
}

/// Distance of two numbers in units in the last place; NaN is far from everything but itself. Of two half-precision
/// numbers side by side, that of the two which are further apart.
uint64_t encodings_apart(ptx::Type type, uint64_t a, uint64_t b) {
  if (info(type).kind == ptx::TypeKind::Packed)
    return std::max(encodings_apart(half_element(type), a & 0xffff, b & 0xffff),
                    encodings_apart(half_element(type), a >> 16, b >> 16));
  uint64_t sign = uint64_t{1} << (ptx::bits(type) - 1);
  uint64_t infinity = type == ptx::Type::F64   ? 0x7ff0000000000000
                      : type == ptx::Type::F32 ? 0x7f800000
                      : type == ptx::Type::F16 ? 0x7c00
                                               : 0x7f80;
  auto order = [sign](uint64_t x) { return (x & sign) != 0 ? uint64_t{0} - (x & ~sign) : x; };
  if ((a & ~sign) > infinity || (b & ~sign) > infinity) return a == b ? 0 : ~uint64_t{0};
  uint64_t away = order(a) - order(b);
  return std::min(away, uint64_t{0} - away);
}

/// How a form's lanes compare; `text` describes the first that is wrong.
struct Comparison {
  size_t wrong = 0;
  std::string text;
};

/// Whether a result is that of a scalar video instruction that saturates, has .min or .max as its second operation, is
/// shifted, or is put into a part of a register. The SMs of an H200 have no such instruction, and what its driver makes
/// of them is not what the manual says (docs/deviations.md).
bool is_by_manual_alone(const std::string& text, const std::string& result) {
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(';', begin), text.size());
    std::string_view one = std::string_view(text).substr(begin, end - begin);
    while (one.starts_with(' ')) one.remove_prefix(1);
    begin = end + 1;
    size_t blank = one.find(' ');
    std::string_view name = one.substr(0, blank), operands = blank < one.size() ? one.substr(blank + 1) : "";
    if (!one.starts_with('v') || !operands.starts_with(result)) continue;
    char last = name.substr(0, name.find('.')).back();
    bool scalar = last != '2' && last != '4' && !one.starts_with("vote");
    for (std::string_view word : {".sat", ".min", ".max", ".shr7", ".shr15"})
      if (scalar && name.find(word) != std::string_view::npos) return true;
    if (scalar && operands.substr(result.size()).starts_with('.')) return true;
  }
  return false;
}

void compare(Comparison& out, const VectorForm& form, const RecordedForm& record, size_t result, uint32_t lane,
             uint64_t got, std::span<const uint64_t> operands) {
  uint64_t expected = packed_value(form, record.bytes, result, lane);
  if (got == expected || is_by_manual_alone(form.text, form.results[result].name)) return;
  ptx::Type type = form.results[result].type;
  ptx::TypeKind kind = info(type).kind;
  bool is_float = kind == ptx::TypeKind::Float || kind == ptx::TypeKind::Packed;
  if (const Approximate* a = is_float ? approximate(form.text) : nullptr) {
    if (encodings_apart(type, got, expected) <= a->ulps) return;
    if (a->absolute > 0 && std::fabs(to_f32(got) - to_f32(expected)) <= a->absolute) return;
  }
  if (++out.wrong > 1) return;
  out.text = fmt::format("lane {} {}: recorded {:x}, got {:x}, from", lane, form.results[result].name, expected, got);
  for (size_t i = 0; i < form.operands.size(); ++i)
    out.text += fmt::format(" {:x}", operands[lane * form.operands.size() + i]);
}

void judge(const VectorForm& form, const Comparison& c, std::string_view where) {
  if (c.wrong > 0) FAIL_CHECK(where << ": " << form.text << "  " << c.wrong << " lanes differ, " << c.text);
}

const RecordedForm& record_of(const VectorForm& form) {
  auto found = recorded().forms.find(form.text);
  if (found == recorded().forms.end()) FAIL("nothing recorded for " << form.text << ": see docs/contributing.md");
  const RecordedForm& record = found->second;
  if (record.refusal.empty()) REQUIRE(record.bytes.size() == packed_bytes(form));
  return record;
}

host::Device generic_device() {
  Diagnostics diagnostics;
  auto loaded = load_machine("generic", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  RunOptions options;
  options.functional = true;
  return host::Device(loaded->machine, options);
}

auto source_of(std::span<const VectorForm> forms) {
  return std::make_shared<SourceText>("forms.ptx", vector_module(forms, 0));
}

/// Runs the kernels of these forms on the generic machine.
void run_whole(std::span<const VectorForm> forms) {
  host::Device device = generic_device();
  std::vector<std::byte> output(size_t{kVectorLanes} * kVectorStride);
  auto in = device.allocate<uint64_t>(size_t{kVectorLanes} * 8, "operands");
  auto out = device.allocate<std::byte>(output.size(), "results");
  auto module = device.load_module(source_of(forms));
  for (size_t k = 0; k < forms.size(); ++k) {
    const RecordedForm& record = record_of(forms[k]);
    std::vector<uint64_t> operands = vector_operands(forms[k]);
    device.write_bytes(in.address, std::as_bytes(std::span(operands)));
    std::fill(output.begin(), output.end(), std::byte{});
    device.write_bytes(out.address, output);
    device.launch(module, fmt::format("k{}", k), {kVectorLanes / kVectorBlock}, {kVectorBlock}, {in, out});
    device.read_bytes(output, out.address);
    std::string got = packed(forms[k], output);
    Comparison c;
    for (size_t result = 0; result < forms[k].results.size(); ++result)
      for (uint32_t lane = 0; lane < kVectorLanes; ++lane)
        compare(c, forms[k], record, result, lane, packed_value(forms[k], got, result, lane), operands);
    judge(forms[k], c, "generic");
  }
}

/// Why the GPU's compiler refuses what a card allows: the words of its message. The values of these forms are those of
/// the manual alone (value_forms_test.cc).
constexpr std::array<std::string_view, 3> kRefusals{
    "requires .target sm_100",    // .f32x2, min and max of three, cvt to tf32 that saturates
    ".approx modifier required",  // sin.f32, div.f32: PTX 1.0 to 1.3
    "Rounding modifier",          // mad.f32, rcp.f64: targets sm_1x; PTX 1.0 to 1.3
};

}  // namespace

TEST_CASE("lane code gives the bits that a GPU recorded") {
  std::vector<VectorForm> forms;
  std::vector<Case> cases;
  std::vector<std::vector<uint64_t>> operands;
  for (VectorForm& form : vector_forms()) {
    if (!form.single || !record_of(form).refusal.empty()) continue;
    cases.push_back(*form.single);
    operands.push_back(vector_operands(form));
    forms.push_back(std::move(form));
  }
  CHECK(forms.size() > 4000);
  for (std::string_view isa : available_isas()) {
    std::vector<CaseLanes> got = lanes_of(cases, isa, operands);
    for (size_t k = 0; k < forms.size(); ++k) {
      const RecordedForm& record = record_of(forms[k]);
      Comparison c;
      for (uint32_t lane = 0; lane < kVectorLanes; ++lane) {
        compare(c, forms[k], record, 0, lane, got[k].first[lane], operands[k]);
        if (forms[k].results.size() > 1) compare(c, forms[k], record, 1, lane, got[k].second[lane], operands[k]);
      }
      judge(forms[k], c, isa);
    }
  }
}

TEST_CASE("memory, carries and collectives give the bits that a GPU recorded") {
  for (bool unsynchronized : {false, true}) {
    std::vector<VectorForm> forms;
    for (VectorForm& form : vector_forms())
      if (!form.single && form.unsynchronized == unsynchronized && record_of(form).refusal.empty())
        forms.push_back(std::move(form));
    run_whole(forms);
  }
}

TEST_CASE("the kernels of single instructions give the bits that a GPU recorded", "[full]") {
  std::vector<VectorForm> forms;
  for (VectorForm& form : vector_forms())
    if (form.single && record_of(form).refusal.empty()) forms.push_back(std::move(form));
  run_whole(forms);
}

TEST_CASE("every form that the GPU's compiler refused has a reason") {
  size_t refused = 0;
  for (const VectorForm& form : vector_forms()) {
    const RecordedForm& record = record_of(form);
    if (record.refusal.empty()) continue;
    ++refused;
    INFO(form.text << ": " << record.refusal);
    CHECK(std::any_of(kRefusals.begin(), kRefusals.end(),
                      [&](std::string_view words) { return record.refusal.find(words) != std::string::npos; }));
  }
  CHECK(refused > 0);
}

TEST_CASE("the front end refuses what the GPU's compiler refused for good") {
  host::Device device = generic_device();
  size_t refused = 0;
  for (const auto& [text, record] : recorded().forms) {
    // .sat where nothing can be out of range (PTX ISA 9.7.9.21), .ftz where integers are compared (9.7.6.1)
    if (record.refusal.find("Illegal modifier") == std::string::npos) continue;
    ++refused;
    INFO(text << ": " << record.refusal);
    VectorForm form = form_of(text);
    CHECK_THROWS_AS(device.load_module(source_of({&form, 1})), host::InputError);
  }
  CHECK(refused == 1267);
}

}  // namespace warptime::sim
