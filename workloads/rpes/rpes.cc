// rpes: electron repulsion integrals by Rys quadrature, all of a molecule of s and p functions. Every integral is held
// against the same quadrature in double precision, and those of s functions and a part of the others against closed
// forms. README.md tells the method and derives the bound.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "closed_form.h"
#include "host/workload/compare.h"
#include "host/workload/workload.h"
#include "molecule.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kThreads = 256, kWarp = 32;
constexpr uint32_t kRegisters = 23;         // Ryoo et al. 2008, table 3
constexpr size_t kClosedForms = 4096;       // of integrals with p functions, at most
constexpr size_t kCountedIntegrals = 2000;  // of the CPU baseline
// Roundings of what an integral's terms add up to, and more for each p function (README.md).
constexpr double kRoundings = 36, kRoundingsOfP = 50;
constexpr float kSmallest = 1e-25f;  // below which its terms may be no normal numbers

/// Where the integrals of a pair with itself and those before it begin: rows of whole warps.
size_t row_start(size_t pair) {
  size_t group = pair / kWarp;
  return kWarp * (group + 1) * (kWarp / 2 * group + pair % kWarp);
}

/// Calls f(ij, kl, number) for every integral that is not padding.
template <class F>
void each_integral(const FunctionPairs& pairs, F f) {
  size_t number = 0;
  for (size_t ij = 0; ij < pairs.kinds.size(); ++ij)
    for (size_t kl = 0; kl <= ij && !pairs.kinds[ij].padding; ++kl)
      if (!pairs.kinds[kl].padding) f(ij, kl, number++);
}
size_t integrals_of(const FunctionPairs& pairs) { return pairs.real * (pairs.real + 1) / 2; }

/// Integrals in units of their roundings times what their terms add up to, each term with its magnitude: an error may
/// be 2^-24.
class Checker {
 public:
  explicit Checker(const FunctionPairs& pairs)
      : pairs_(pairs), words_(pairs.words.begin(), pairs.words.end()), table_(make_rys_table()) {}

  void check(const std::string& variant, const std::vector<float>& got, std::vector<host::Check>& checks) const {
    host::Comparison quadrature("integrals (" + variant + ")", ptx::Type::F32, {0x1p-24, 0});
    host::Comparison closed("closed forms (" + variant + ")", ptx::Type::F32, {0x1p-24, 0});
    size_t stride = integrals_of(pairs_) / kClosedForms + 1;
    each_integral(pairs_, [&](size_t ij, size_t kl, size_t number) {
      auto p_functions = static_cast<double>(pairs_.kinds[ij].p_functions() + pairs_.kinds[kl].p_functions());
      double unit = std::max<double>(integral<true>(ij, kl), kSmallest) * (kRoundings + kRoundingsOfP * p_functions);
      float value = scaled(got[row_start(ij) + kl], unit);
      quadrature.element_f32(value, scaled(integral<false>(ij, kl), unit), ij, kl);
      if (pairs_.kinds[ij].second && number % stride != 0) return;
      closed.element_f32(value, scaled(closed_form_integral(pairs_, ij, kl), unit), ij, kl);
    });
    checks.push_back(quadrature.result());
    checks.push_back(closed.result());
  }

 private:
  template <bool Magnitude>
  double integral(size_t ij, size_t kl) const {
    return rys_integral<Magnitude>(words_, table_, ij, pairs_.kinds[ij], kl, pairs_.kinds[kl]);
  }
  static float scaled(double value, double unit) { return static_cast<float>(value / unit); }

  const FunctionPairs& pairs_;
  std::vector<double> words_;
  RysArrays<std::vector<double>> table_;
};

template <class Values>
void set_constant(host::Device& device, const host::ModuleRef& module, const char* symbol, const Values& values) {
  device.set_symbol(module, symbol, std::as_bytes(std::span(values)));
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  FunctionPairs pairs = make_pairs(static_cast<uint32_t>(context["atoms"]));
  auto slots = static_cast<uint32_t>(pairs.kinds.size());
  std::vector<float> words(pairs.words.size());  // one word of all pairs after the other
  for (size_t i = 0; i < words.size(); ++i) words[i % kPairWords * slots + i / kPairWords] = pairs.words[i];

  auto module = device.load_module_file(context.directory + "/rpes.ptx");
  RysTable table = make_rys_table();
  set_constant(device, module, "coefficients", table.coefficients);
  set_constant(device, module, "asymptotes", table.asymptotes);
  set_constant(device, module, "middles", table.middles);
  host::Buffer in = device.allocate<float>(words.size(), "pairs");
  device.copy_to(in, words, "pairs");
  std::vector<float> integrals(row_start(slots));
  Checker checker(pairs);
  for (const std::string& variant : context.workload.variants) {
    if (!context.runs(variant)) continue;
    host::Buffer out = device.allocate<float>(integrals.size(), "integrals");
    host::LaunchOptions options;
    options.registers_per_thread = kRegisters;
    const auto& launch = device.launch(module, "repulsion_" + variant, {(slots + kThreads - 1) / kThreads, slots},
                                       {kThreads}, {in, out}, options);
    if (launch.timed)
      device.add_figure({variant + "_integrals", static_cast<double>(integrals_of(pairs)) / launch.time_us,
                         "M integrals/s", "of 81 primitive quartets each"});
    device.copy_from(integrals, out, "integrals");
    if (context.check) checker.check(variant, integrals, context.checks);
  }
}

/// Integrals evenly spread over all, each with its pairs' words where they lie.
void run_on_cpu(cpu::CpuContext& context) {
  FunctionPairs pairs = make_pairs(static_cast<uint32_t>(context["atoms"]));
  cpu::CountedArray<float> words(pairs.words);
  RysArrays<cpu::CountedArray<float>> table(make_rys_table());
  size_t all = integrals_of(pairs), stride = all / kCountedIntegrals + 1, counted = 0;
  cpu::CountedArray<float> out(all / stride + 1);
  each_integral(pairs, [&](size_t ij, size_t kl, size_t number) {
    if (number % stride != 0) return;
    out[counted++] = rys_integral<false>(words, table, ij, pairs.kinds[ij], kl, pairs.kinds[kl]);
  });
  context.scale = static_cast<double>(all) / static_cast<double>(counted);
  if (counted < all) context.part = fmt::format("{} of {} integrals", counted, all);
}

const bool kRegistered = host::register_workload({
    .name = "rpes",
    .summary = "electron repulsion integrals by Rys quadrature: polynomials of a range that differs between threads",
    .variants = {"shared", "constant", "branches"},
    .parameters = {{.name = "atoms",
                    .default_value = 8,
                    .low = 1,
                    .high = 100,
                    .choices = {},
                    .what = "atoms of the molecule, hydrogen and heavy atoms in turn"}},
    .published = {{"shared", "registers per thread", kRegisters, "any size", "Ryoo et al. 2008, table 3",
                   "geforce-8800-gtx"}},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
