// Approximate f32 instructions against the exact value: each stays within the bound that the manual gives it (PTX ISA
// 9.7.3.8, 13, 15, 16, 18 to 22). How far they are from what hardware gives is in recorded_vectors_test.cc.
#include <catch2/catch.hpp>
#include <cmath>

#include "form_runner.h"
#include "sim/exec/handler_table.h"

namespace warptime::sim {

namespace {

constexpr int kLanes = 1 << 15;

/// A unit in the last place of the f32 nearest to x.
double ulp(double x) { return std::exp2(std::ilogb(x) - 23); }

/// The cases of an instruction's approximate forms.
std::vector<Case> approximate_cases(std::string_view name, ptx::Mod how) {
  std::vector<Case> out;
  const ptx::CardRow& card = *ptx::find_card(name);
  for (const ptx::Form& form : card.forms)
    for (const Case& c : cases_of(card, form, false))
      if (c.spelled.has(how) && c.spelled.type == ptx::Type::F32) out.push_back(c);
  return out;
}

struct Bound {
  std::string_view name;
  ptx::Mod how;
  double low, high;  // of the operands: they grow by equal factors, or, from a negative low on, by equal steps
  double (*exact)(double a, double b);
  double (*most)(double exact, double a);  // the largest error allowed
};

using ptx::Mod;
constexpr auto kUlp = [](double y, double) { return ulp(y); };
constexpr auto kTwoUlps = [](double y, double) { return 2 * ulp(y); };
constexpr Bound kBounds[] = {
    {"rcp", Mod::Approx, 0x1p-125, 0x1p125, [](double a, double) { return 1 / a; }, kUlp},
    {"div", Mod::Approx, 0x1p-60, 0x1p60, [](double a, double b) { return a / b; }, kTwoUlps},
    {"div", Mod::Full, 0x1p-60, 0x1p60, [](double a, double b) { return a / b; }, kTwoUlps},
    {"sqrt", Mod::Approx, 0x1p-126, 0x1.fp127, [](double a, double) { return std::sqrt(a); },
     [](double y, double) { return std::exp2(-23) * y; }},
    {"rsqrt", Mod::Approx, 0x1p-126, 0x1.fp127, [](double a, double) { return 1 / std::sqrt(a); },
     [](double y, double) { return std::exp2(-22.9) * y; }},
    {"lg2", Mod::Approx, 0x1p-126, 0x1.fp127, [](double a, double) { return std::log2(a); },
     [](double y, double a) { return std::exp2(-22) * (a > 0.5 && a < 2 ? 1 : std::fabs(y)); }},
    {"lg2", Mod::Approx, 0.5, 2, [](double a, double) { return std::log2(a); },
     [](double, double) { return std::exp2(-22); }},
    {"ex2", Mod::Approx, -125, 127, [](double a, double) { return std::exp2(a); },
     [](double y, double) { return 2.5 * ulp(y); }},  // 2 from the correctly rounded value
    {"tanh", Mod::Approx, -10, 10, [](double a, double) { return std::tanh(a); },
     [](double y, double) { return std::exp2(-11) * std::fabs(y); }},
};

}  // namespace

TEST_CASE("approximate instructions stay within the manual's bounds") {
  for (const Bound& bound : kBounds) {
    std::vector<Case> cases = approximate_cases(bound.name, bound.how);
    REQUIRE(cases.size() >= 1);
    std::vector<double> values;
    for (int i = 0; i < kLanes; ++i) {
      double part = (i + 0.5) / kLanes;
      double x = bound.low < 0 ? bound.low + (bound.high - bound.low) * part
                               : bound.low * std::exp2(part * std::log2(bound.high / bound.low));
      values.push_back(static_cast<double>(static_cast<float>(x)));
    }
    std::vector<uint64_t> operands;
    for (size_t i = 0; i < values.size(); ++i) {
      operands.push_back(from_f32(static_cast<float>(values[i])));
      if (bound.name == "div") operands.push_back(from_f32(static_cast<float>(values[i * 7919 % values.size()])));
    }
    std::vector<CaseLanes> got =
        lanes_of(cases, available_isas().back(), std::vector<std::vector<uint64_t>>(cases.size(), operands));
    for (size_t k = 0; k < cases.size(); ++k) {
      size_t wrong = 0;
      for (size_t i = 0; i < values.size(); ++i) {
        double exact = bound.exact(values[i], values[i * 7919 % values.size()]);
        wrong +=
            std::fabs(static_cast<double>(to_f32(got[k].first[i])) - exact) <= bound.most(exact, values[i]) ? 0 : 1;
      }
      INFO(cases[k].text);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("sine and cosine stay within the manual's bounds") {
  constexpr int kAngles = kLanes;
  for (auto [name, exact] : {std::pair<std::string_view, double (*)(double)>{"sin", std::sin}, {"cos", std::cos}}) {
    std::vector<Case> cases = approximate_cases(name, ptx::Mod::Approx);
    for (auto [turns, bound] : {std::pair{1.0, -20.5}, {50.0, -14.7}}) {
      std::vector<uint64_t> angles;
      for (int i = -kAngles; i < kAngles; ++i)
        angles.push_back(from_f32(static_cast<float>(6.283185307 * turns * i / kAngles)));
      std::vector<CaseLanes> got =
          lanes_of(cases, available_isas().back(), std::vector<std::vector<uint64_t>>(cases.size(), angles));
      for (size_t k = 0; k < cases.size(); ++k) {
        double worst = 0;
        for (size_t i = 0; i < angles.size(); ++i)
          worst = std::fmax(worst, std::fabs(to_f32(got[k].first[i]) - exact(to_f32(angles[i]))));
        INFO(cases[k].text << " within " << turns << " turns: 2^" << std::log2(worst));
        CHECK(worst <= std::exp2(bound));
        CHECK(worst > std::exp2(bound - 2));  // the bound is what the angle's rounding makes of it
      }
    }
  }
}

}  // namespace warptime::sim
