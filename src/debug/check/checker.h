// The observer of a checked run: hands the events of its launches to the checkers that are switched on.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "debug/check/finding.h"
#include "debug/check/grid_cover.h"
#include "debug/check/heap_blocks.h"
#include "debug/check/initcheck.h"
#include "debug/check/lockstep_notes.h"
#include "debug/check/memcheck.h"
#include "debug/check/racecheck.h"
#include "debug/check/synccheck.h"
#include "debug/check/undefined_lanes.h"

namespace warptime::debug {

struct CheckTools {
  bool memcheck = false, initcheck = false, racecheck = false, synccheck = false;
};

/// The checkers of a list of names ("memcheck,racecheck", "all"); nullopt: one of them is none.
std::optional<CheckTools> check_tools_of(std::string_view names);

class Checker : public sim::LaunchObserver {
 public:
  explicit Checker(CheckTools tools);
  ~Checker() override;

  const Findings& findings() const { return findings_; }
  /// The program has ended: what is left of it is checked.
  void finish();
  /// Runs launches in another order from now on.
  void reorder(std::optional<uint64_t> seed) { adversarial_seed_ = seed; }
  /// Whether the last launch's fault is one of the findings.
  bool has_fault() const { return has_fault_; }
  /// Sentences about what was not checked.
  std::vector<std::string> notes() const;

  bool needs_all_instructions() const override;
  std::optional<uint64_t> adversarial_seed() const override { return adversarial_seed_; }
  void begins(const sim::LaunchContext& launch) override;
  void ends(const sim::Fault* fault) override;
  void starts(const sim::SmState& sm, uint64_t slots) override;
  void executes(const sim::WarpEvent& event) override;
  uint32_t accesses(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& addresses) override;
  uint32_t copies(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& to) override;
  void began(const sim::SmState& sm, const sim::AsyncCopy& copy) override;
  void copied(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes,
              const sim::AsyncArrival* arrival) override;
  void began(const sim::SmState& sm, const sim::BulkCopy& copy) override;
  void bulk(const sim::WarpEvent& event, const sim::LoadStore::BulkRange& range,
            std::span<const sim::TensorPiece> pieces) override;
  void arrived(const sim::SmState& sm, const sim::BulkCopy& copy) override;
  void left_cluster(const sim::WarpEvent& event) override;
  void used(const sim::SmState& sm, const sim::MbarrierUse& use) override;
  uint32_t fetches(const sim::WarpEvent& event) override;
  void arrived(const sim::WarpEvent& event, const sim::SmState::Arrival& arrival) override;
  void exits(const sim::WarpEvent& event) override;
  void exited(const sim::WarpEvent& event, const sim::SmState::Exited& exited) override;
  void heap(const sim::LaunchContext& launch, const sim::HeapEvent& event) override;
  void host_allocates(Addr begin, uint64_t bytes, bool is_written) override;
  void host_writes(Addr begin, uint64_t bytes) override;
  void host_copies(Addr to, Addr from, uint64_t bytes) override;
  void host_frees(Addr begin, uint64_t bytes) override;

 protected:
  Findings& found() { return findings_; }
  const sim::LaunchContext* launch() const { return launch_; }

 private:
  uint32_t in_space(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& addresses, ptx::Space space,
                    uint32_t lanes, uint32_t bytes);
  uint32_t source(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& addresses);
  uint32_t generic(const sim::WarpEvent& event, const std::array<Addr, sim::kWarpSize>& addresses);

  CheckTools tools_;
  Findings findings_;
  HeapBlocks heap_;
  Memcheck memcheck_;
  // initcheck
  std::optional<Initcheck> initcheck_;
  std::optional<GridCover> grid_cover_;
  // racecheck
  std::optional<Racecheck> racecheck_;
  std::optional<LockstepExchange> exchange_;
  // synccheck
  std::optional<Synccheck> synccheck_;
  std::optional<UndefinedLanes> undefined_lanes_;
  std::optional<WarpSpins> spins_;
  const sim::LaunchContext* launch_ = nullptr;
  bool has_fault_ = false;
  std::optional<uint64_t> adversarial_seed_;
};

}  // namespace warptime::debug
