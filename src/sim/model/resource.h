// The shared resources that can limit warps: one row per resource. Statistics, the bottleneck of a launch
// (host/report/verdict.h) and all reports of busy shares use this table. The list is closed: no `default:` on it.
//
// A resource has one unit for each SM, TPC or partition of its scope; each unit counts the cycles of its own clock in
// which it was busy.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/stats_struct.h"
#include "ptx/isa/unit.h"

namespace warptime::sim {

/// The class of Ryoo 2008 (table 3) that a program has whose bottleneck this is.
enum class ResourceClass : uint8_t { Issue, Bandwidth };

//        enumerator        key                  words                class     bound           scope        reachable
//        busy is
#define RESOURCE_OF_PIPE(X, name, key, unit, what, ...) \
  X(name, #key, unit, Issue, #key, "SM", 1.0, "share of time that the " what " were occupied")
#define RESOURCES(X)                                                                                     \
  X(Issue, "issue", "warp scheduler", Issue, "issue", "SM", 1.0,                                         \
    "share of issue.slots in which an instruction was issuing")                                          \
  PTX_PIPES(RESOURCE_OF_PIPE, X)                                                                         \
  X(MemoryPort, "memory_port", "memory port", Bandwidth, "memory_port", "SM", 1.0,                       \
    "share of time that the memory port was occupied")                                                   \
  X(TpcRequestPort, "tpc_request_port", "TPC request port", Bandwidth, "interconnect", "TPC", 1.0,       \
    "share of time that a TPC's crossbar port out was sending requests")                                 \
  X(TpcResponsePort, "tpc_response_port", "TPC response port", Bandwidth, "interconnect", "TPC", 1.0,    \
    "share of time that a TPC's crossbar port in was receiving answers")                                 \
  X(Partition, "partition", "partition port", Bandwidth, "interconnect", "partition", 1.0,               \
    "share of time that the busiest of a memory partition's two crossbar ports and its L2's data ports " \
    "was transferring data")                                                                             \
  X(AtomicUnit, "atomic_unit", "atomic unit", Bandwidth, "atomic_unit", "partition", 1.0,                \
    "share of time that a memory partition's atomic unit was occupied")                                  \
  X(Dram, "dram", "DRAM", Bandwidth, "dram", "partition", kDramReachable,                                \
    "share of time that a memory partition's DRAM was transferring data: bytes divided by the peak rate")

/// The part of DRAM's peak rate that a stream of coalesced reads reaches beside opening rows, turning the bus and
/// refreshing: 72 of the 86.4 GB/s of a GeForce 8800 GTX (docs/bottleneck.md).
inline constexpr double kDramReachable = 5.0 / 6.0;

enum class Resource : uint8_t {
#define X(name, ...) name,
  RESOURCES(X)
#undef X
};
inline constexpr size_t kResourceCount = 0
#define X(...) +1
    RESOURCES(X)
#undef X
    ;

struct ResourceInfo {
  std::string_view key;
  std::string_view words;
  ResourceClass group;
  std::string_view bound;  // name of the bound when this resource is the bottleneck
  std::string_view scope;
  double reachable;  // the largest share of time that it can be busy
  std::string_view doc;
};
inline constexpr std::array<ResourceInfo, kResourceCount> kResources{{
#define X(name, key, words, group, bound, scope, reachable, doc) \
  {key, words, ResourceClass::group, bound, scope, reachable, doc},
    RESOURCES(X)
#undef X
}};
constexpr const ResourceInfo& info(Resource resource) { return kResources[static_cast<size_t>(resource)]; }

/// How much of a resource a launch used. Launches add up.
struct ResourceUse {
  uint64_t busy = 0;       // cycles, over all units
  uint64_t busiest = 0;    // of the busiest unit, times the number of units
  uint64_t available = 0;  // over all units

  /// Shares of what was available. An estimate of a sampled run may be a little more than all.
  double share() const { return share_of(busy); }
  double busiest_share() const { return share_of(busiest); }

  /// One more unit, of which `units` are alike.
  void add_unit(uint64_t cycles, uint64_t units) {
    busy += cycles;
    busiest = std::max(busiest, cycles * units);
  }
  template <class F>
  static void zip(ResourceUse& a, const ResourceUse& b, F&& f) {
    f(a.busy, b.busy);
    f(a.busiest, b.busiest);
    f(a.available, b.available);
  }
  bool operator==(const ResourceUse&) const = default;

 private:
  double share_of(uint64_t cycles) const {
    return available == 0 ? 0 : std::min(1.0, static_cast<double>(cycles) / static_cast<double>(available));
  }
};
using ResourceUses = std::array<ResourceUse, kResourceCount>;

/// How long each unit of a resource was busy, in the order of their numbers.
struct UnitsBusy {
  Resource resource{};
  std::vector<double> busy;  // shares of what was available of the unit

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(StatInfo{"name", "name", "the resource"}, info(self.resource).key);
    visitor(StatInfo{"scope", "name", "what has one: an SM, a TPC or a memory partition"}, info(self.resource).scope);
    visitor(StatInfo{"busy", "share", "share of time that it was busy, of each SM, TPC or partition in order"},
            self.busy);
  }
  bool operator==(const UnitsBusy&) const = default;
};
using BusyByUnit = std::vector<UnitsBusy>;

}  // namespace warptime::sim
