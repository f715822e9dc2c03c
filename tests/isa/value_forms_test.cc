// Walks the table of cards: every form that computes values is run in every spelling, on every host instruction set,
// against the reference. A form without reference values fails.
#include <catch2/catch.hpp>

#include "form_runner.h"

namespace warptime::sim {

namespace {

void walk(bool legacy, uint32_t density) {
  size_t forms = 0;
  for (const ptx::CardRow& card : ptx::cards()) {
    for (const ptx::Form& form : card.forms) {
      if (effect_of(*card.card, form) != ptx::Effect::None || card.card->name == "cvta") continue;
      if (legacy && form.since.target >= 20) continue;
      std::vector<Case> cases = cases_of(card, form, legacy);
      INFO(card.card->name);
      REQUIRE(!cases.empty());
      CHECK(run_cases(cases, legacy, density) > 0);
      ++forms;
    }
  }
  CHECK(forms > 40);
}

}  // namespace

TEST_CASE("every form computes the reference's bits on a sample of the edge values") { walk(false, 64); }

TEST_CASE("every form computes the reference's bits with the rules of sm_1x, on a sample") { walk(true, 64); }

TEST_CASE("every form computes the reference's bits on edge values crossed", "[all]") { walk(false, 10000); }

TEST_CASE("every form computes the reference's bits with the rules of sm_1x, edge values crossed", "[all]") {
  walk(true, 10000);
}

}  // namespace warptime::sim
