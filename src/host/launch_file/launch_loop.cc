#include "host/launch_file/launch_loop.h"

#include <fmt/format.h>

#include <utility>

#include "host/launch_file/launch_data.h"
#include "host/launch_file/launch_form.h"
#include "host/launch_file/launch_parameters.h"

namespace warptime::host {

using yaml::Entry;
using yaml::Node;

namespace {

/// Calls f(steps) with those of each outermost loop that has an index, in order.
template <class F>
void for_each_indexed(Node& steps, const F& f) {
  for (Node& step : steps.items) {
    Node* launches = nullptr;
    bool indexed = false;
    for (Entry& entry : step.entries) {
      if (entry.key == "launches") launches = &entry.value;
      indexed = indexed || entry.key == "index";
    }
    if (launches == nullptr) continue;
    if (indexed) f(*launches);
    else for_each_indexed(*launches, f);
  }
}

}  // namespace

void compute_steps(Node& steps, const LaunchPlan& plan, Diagnostics& diagnostics) {
  std::vector<Node> aside;
  for_each_indexed(steps, [&](Node& launches) { aside.push_back(std::exchange(launches, Node{})); });
  compute_with(steps, launch_forms().steps, plan, diagnostics);
  size_t next = 0;
  for_each_indexed(steps, [&](Node& launches) { launches = std::move(aside[next++]); });
}

bool check_index(const Node& node, const std::string& index, uint32_t repeat, const LaunchPlan& plan,
                 Diagnostics& diagnostics) {
  constexpr uint32_t kMostRounds = 100000;  // each has steps of its own in the plan
  const size_t before = diagnostics.error_count();
  if (!is_plain_name(index))
    diagnostics.error(node.where, fmt::format("\"{}\" cannot be an index", index),
                      "letters, digits and _, so that expressions can name it");
  else if (is_parameter(plan, index))
    diagnostics.error(node.where, fmt::format("\"{}\" is a parameter or the index of an outer loop", index));
  if (repeat > kMostRounds)
    diagnostics.error(node.where,
                      fmt::format("a loop with an index has at most {} rounds, not {}", kMostRounds, repeat));
  return diagnostics.error_count() == before;
}

std::optional<PlannedUntil> read_until(const Node& node, const LaunchPlan& plan,
                                       const std::function<std::optional<size_t>(const Node&)>& buffer,
                                       uint32_t& at_most, Diagnostics& diagnostics) {
  using Test = PlannedUntil::Test;
  yaml::StrictMap map(node, "\"until\"", launch_forms().until, diagnostics);
  PlannedUntil until;
  until.where = node.where;
  const Node* name = map.find("buffer");
  const Node* element = map.find("element");
  const Node* value = nullptr;
  for (auto [key, test] : {std::pair{"equals", Test::Equals}, {"below", Test::Below}, {"above", Test::Above}})
    if (const Node* given = map.find(key)) value = given, until.test = test;
  map.read("at_most", at_most);
  const bool good = map.finish() && name != nullptr && value != nullptr;
  const std::optional<size_t> place = good ? buffer(*name) : std::nullopt;
  if (!place) return std::nullopt;
  until.buffer = *place;
  const TypedData& data = plan.buffers[*place];
  if (element != nullptr)
    yaml::read(*element, "element", until.element, range(0, static_cast<double>(data.count - 1)), diagnostics);
  const auto bits = parse_scalar(*value, data.type, "the value", diagnostics);
  until.bits = bits.value_or(0);
  return bits ? std::optional(until) : std::nullopt;
}

}  // namespace warptime::host
