// `warptime list statistics` beside what reports of real runs contain: the same names, in the same order, in JSON and
// CSV, with and without time, caches, samples and instructions.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "cli/list/catalogue.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

using Names = std::vector<std::string>;
using nlohmann::ordered_json;

Names listed() {
  Names out;
  for (const auto& row : cli::list_statistics().rows) out.push_back(row.front());
  return out;
}

/// Names of all values, in the order of the report; what is null has no parts, so it is in `missing`. Items of a list
/// of objects go by their "name" if they have one. A list without items says nothing.
void collect(const ordered_json& value, const std::string& name, Names& out, Names& missing) {
  if (value.is_null()) {
    missing.push_back(name);
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      collect(member, name.empty() ? key : name + "." + key, out, missing);
  } else if (value.is_array() && (value.empty() || value.front().is_object())) {
    for (ordered_json item : value) {
      std::string own = item.contains("name") ? "." + item["name"].get<std::string>() : "";
      item.erase("name");
      collect(item, name + own, out, missing);
    }
  } else if (std::find(out.begin(), out.end(), name) == out.end()) {
    out.push_back(name);
  }
}

bool is_of(const std::string& name, const std::string& group) { return (name + ".").rfind(group + ".", 0) == 0; }

/// The list without these groups. The resources of a report are sorted by use.
Names all_but(const Names& groups) {
  Names out = listed();
  std::erase_if(out, [&](const std::string& name) {
    return std::any_of(groups.begin(), groups.end(), [&](const std::string& group) { return is_of(name, group); });
  });
  return out;
}
Names without_resources(Names names) {
  std::erase_if(names, [](const std::string& name) { return is_of(name, "resources"); });
  return names;
}

/// Checks that the names are the same and, but for resources, in the same order; shows those only in one of the two.
void check_same(const Names& reported, const Names& expected) {
  std::set<std::string> a(reported.begin(), reported.end()), b(expected.begin(), expected.end());
  Names not_listed, not_reported;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(not_listed));
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(not_reported));
  CHECK(not_listed == Names{});
  CHECK(not_reported == Names{});
  CHECK((without_resources(reported) == without_resources(expected)));
}

/// Each launch of the report has all of the list except `absent`, of which those in `null` have no value.
void check_report(const host::RunReport& report, const Names& absent, const Names& null) {
  INFO(report.target << " on " << report.machine.name);
  ordered_json json = host::to_json(report);
  Names expected = all_but(absent);
  REQUIRE_FALSE(json["launches"].empty());
  for (const ordered_json& launch : json["launches"]) {
    Names names, missing;
    collect(launch, "", names, missing);
    check_same(names, expected);
    CHECK(missing == null);
  }
  Names names, missing, all = listed();
  collect(json["total"], "", names, missing);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(std::find(all.begin(), all.end(), name) != all.end());
  }

  std::istringstream header(host::to_csv(report));
  std::string line, column;
  std::getline(header, line);
  std::istringstream cells(line);
  Names columns, in_csv;
  while (std::getline(cells, column, ',')) columns.push_back(column);
  REQUIRE(columns.size() > 3);
  columns.erase(columns.begin(), columns.begin() + 3);  // machine.name, machine.hash, target
  std::erase_if(columns, [&](const std::string& c) { return std::find(null.begin(), null.end(), c) != null.end(); });
  for (const std::string& name : expected)
    if (!is_of(name, "issue_by_sm") && !is_of(name, "busy_by_unit") && !is_of(name, "instructions"))
      in_csv.push_back(name);
  check_same(columns, in_csv);
}

sim::RunOptions with_instructions() {
  sim::RunOptions options;
  options.per_instruction = true;
  return options;
}

const Target kTexture{"smooth", "", {"width=40", "height=20"}};

}  // namespace

TEST_CASE("list statistics: what reports of timed runs have, by the caches of the machine") {
  const std::vector<std::pair<std::string, Names>> machines{
      {"geforce-8800-gtx", {"caches.l1", "caches.l2", "latency_stages"}},
      {"tesla-c1060", {"caches.l1", "caches.l2", "latency_stages"}},
      {"jetson-tk1", {}},
      {"geforce-gtx-480", {}}};
  for (const auto& [machine, no_caches] : machines) {
    Names absent = no_caches;
    absent.emplace_back("sampling");
    for (const Target& target : {kTexture, Target{"vecadd", "", {"n=4096"}}})
      check_report(run(target, with_instructions(), machine), absent, {"sampling"});
  }
}

TEST_CASE("list statistics: what reports have without time, without reasons for stalls, without instructions") {
  sim::RunOptions functional = with_instructions();
  functional.functional = true;
  Names timed{"cycles",
              "time_us",
              "gflops",
              "issue",
              "dram",
              "caches",
              "pipes",
              "resources",
              "bound",
              "sampling",
              "warp_cycles",
              "issue_by_sm",
              "busy_by_unit",
              "translation",
              "ipc",
              "native_ipc",
              "achieved_occupancy",
              "sm_cycles",
              "global_latency",
              "memory_queue_full",
              "queues",
              "queue_times",
              "latency_stages"};
  Names absent = timed;
  absent.emplace_back("instructions.stalls");
  for (const char* machine : {"geforce-8800-gtx", "geforce-gtx-480", "generic"}) {
    ordered_json launch = host::to_json(run(kTexture, functional, machine))["launches"][0];
    Names names, missing;
    collect(launch, "", names, missing);
    check_same(names, all_but(absent));
    for (const std::string& name : missing) CHECK(std::find(absent.begin(), absent.end(), name) != absent.end());
  }
  sim::RunOptions no_reasons;
  no_reasons.attribution = false;
  ordered_json launch = host::to_json(run(kTexture, no_reasons))["launches"][0];
  Names names, missing;
  collect(launch, "", names, missing);
  check_same(names, all_but({"issue.stalls", "issue_by_sm.stalls", "warp_cycles.waiting", "sampling", "caches.l1",
                             "caches.l2", "instructions", "memory_queue_full", "queue_times", "latency_stages"}));
}

TEST_CASE("list statistics: what reports of sampled runs have") {
  sim::RunOptions options = with_instructions();
  options.sampling = sim::Sampling::FullValues;
  Target target{"saxpy", "", {"n=600000"}};
  const Names one_sm{"chip.tpcs=1", "chip.sms_per_tpc=1", "memory.partitions=1"};
  host::RunReport report = run(target, options, shipped_machine(target.machine, one_sm));
  REQUIRE(report.launches.front().sampling.has_value());
  check_report(report, {"caches.l1", "caches.l2", "latency_stages"}, {});
}

TEST_CASE("list statistics: has what the user guide says to look at") {
  std::ifstream guide(WARPTIME_SOURCE_DIR "/docs/user-guide.md");
  std::string line;
  while (std::getline(guide, line) && line.rfind("| question | statistics |", 0) != 0) continue;
  const std::regex quoted("`([^`]+)`");
  const Names all = listed();
  size_t checked = 0;
  while (std::getline(guide, line) && line.rfind('|', 0) == 0)
    for (std::sregex_iterator it(line.begin(), line.end(), quoted), end; it != end; ++it, ++checked) {
      std::string name = (*it)[1];
      INFO(name);
      auto matches = [&](const std::string& known) {
        return name.front() == '*' ? known.ends_with(name.substr(1)) : is_of(known, name);
      };
      CHECK(std::any_of(all.begin(), all.end(), matches));
    }
  CHECK(checked > 5);
}

}  // namespace warptime
