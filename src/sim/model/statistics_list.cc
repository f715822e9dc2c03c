#include "sim/model/statistics_list.h"

#include <fmt/format.h>

#include "sim/model/statistics.h"

namespace warptime::sim {

namespace {

/// Where in the report the statistics are that follow, and what their sentences begin with.
struct Outer {
  std::string name, doc;
  std::string_view scope;
};

class Lister {
 public:
  std::vector<StatisticRow> rows;

  template <class T>
  void add(const Outer& outer, const StatInfo& info, const T& value) {
    if constexpr (StatStruct<T>) {
      size_t i = 0;
      T::visit(value, [&](StatInfo each, const auto& member) {
        if (i < info.profilers.size()) each.profiler = info.profilers[i];
        ++i;
        add_member(outer, each, member);
      });
    } else {
      std::string name = outer.name + std::string(info.name);
      if (!info.inner.empty()) name += fmt::format(".{}", info.inner);
      rows.push_back({std::move(name), std::string(info.unit), outer.scope, outer.doc + std::string(info.doc),
                      std::string(info.profiler)});
    }
  }
  template <class T>
  void add(const Outer& outer, const StatInfo& info, const std::vector<T>&) {
    add(within(outer, info), info, T{});
  }
  template <class T>
  void add(const Outer& outer, const StatInfo& info, const std::optional<T>&) {
    add(within(outer, info), info, T{});
  }
  void add(const Outer& outer, const StatInfo& info, const std::vector<double>&) { add(outer, info, double{}); }
  void add(const Outer& outer, const StatInfo& info, const BusyByUnit&) {
    const Outer list = within(outer, info);
    const UnitsBusy none;
    for (const ResourceInfo& resource : kResources) {
      const Outer of{fmt::format("{}{}.", list.name, resource.key), list.doc, resource.scope};
      UnitsBusy::visit(none, [&](const StatInfo& each, const auto& member) {
        if (each.name != "name") add(of, each, member);
      });
    }
  }
  void add(const Outer& outer, const StatInfo& info, const ResourceUses&) {
    for (const ResourceInfo& resource : kResources) {
      std::string name = fmt::format("{}{}.{}.", outer.name, info.name, resource.key);
      rows.push_back({name + "busy", std::string(info.unit), resource.scope, std::string(resource.doc), {}});
      rows.push_back({name + "busiest",
                      std::string(info.unit),
                      resource.scope,
                      fmt::format("the same of the {} for which it is the largest", resource.scope),
                      {}});
    }
  }

 private:
  static Outer within(const Outer& outer, const StatInfo& info) {
    return {fmt::format("{}{}.", outer.name, info.name), outer.doc + std::string(info.doc),
            info.scope.empty() ? outer.scope : info.scope};
  }

  template <class T>
  void add_member(const Outer& outer, const StatInfo& info, const T& value) {
    if constexpr (StatStruct<T>) add(within(outer, info), info, value);
    else add(outer, info, value);
  }
  void add_member(const Outer& outer, const StatInfo& info, const StallCounts&) {
    for (const StallInfo& stall : kStalls) {
      bool has_name = !info.profiler.empty() && !stall.warp_state.empty();
      rows.push_back({fmt::format("{}{}.{}", outer.name, info.name, stall.key), std::string(info.unit), outer.scope,
                      fmt::format("{}{}{}", outer.doc, info.doc, stall.what),
                      has_name ? fmt::format("{}{}.sum", info.profiler, stall.warp_state) : std::string()});
    }
  }
};

}  // namespace

std::vector<StatisticRow> statistics_list() {
  LaunchStatistics launch;
  launch.caches.reported.fill(true);
  Lister lister;
  LaunchStatistics::visit(launch, [&lister](const StatGroup& group, const auto& value) {
    lister.add({group.object.empty() ? "" : fmt::format("{}.", group.object), "", group.scope}, group.info, value);
  });
  return std::move(lister.rows);
}

}  // namespace warptime::sim
