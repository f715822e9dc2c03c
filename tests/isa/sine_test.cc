// sin and cos against the exact value: the manual bounds their absolute error by 2^-20.5 for angles within 2pi and by
// 2^-14.7 within 100pi (PTX ISA 9.7.3.18 and 19). The other approximate instructions are held to a unit in the last
// place by value_forms_test.cc, which is below their bounds.
#include <catch2/catch.hpp>
#include <cmath>

#include "form_runner.h"
#include "sim/exec/handler_table.h"

namespace warptime::sim {

TEST_CASE("sine and cosine stay within the manual's bounds") {
  constexpr int kAngles = 1 << 15;
  for (auto [name, exact] : {std::pair<std::string_view, double (*)(double)>{"sin", std::sin}, {"cos", std::cos}}) {
    const ptx::CardRow& card = *ptx::find_card(name);
    std::vector<Case> cases = cases_of(card, card.forms.front(), false);
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
