// What a checker found: each place of a kernel once for each kind, with the first occurrence and the number of all.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "debug/check/kinds.h"
#include "ptx/module.h"
#include "sim/fault.h"
#include "sim/gpu/launch_observer.h"

namespace warptime::debug {

/// A thread at an instruction.
struct ThreadPlace {
  uint32_t line = 0;  // of the PTX text; 0: none
  std::array<uint32_t, 3> block{}, thread{};
  uint32_t location = 0;  // of the CUDA source (ptx::UserLines); 0: none
};

/// The other access of a race, or the place where a value is used.
struct OtherAccess {
  ThreadPlace place;
  std::string cuda_file;  // empty: none
  uint32_t cuda_line = 0;
  std::string variable;
};

/// How far apart the threads of a race are, at most.
enum class RaceScope : uint8_t { Warp, Block, Grid };

/// The instructions of a race, from which follows what mends it.
struct RacePair {
  struct Side {
    uint32_t pc = 0;
    bool writes = false, is_atomic = false;
  };
  Side first, second;
  RaceScope scope = RaceScope::Warp;
  ptx::Space space = ptx::Space::Shared;
};

/// A call of the host program, where it is known: of a CUDA program as it is.
struct HostCall {
  std::string function;                 // "cudaMalloc"
  std::string caller;                   // "main+0x12"; empty: not known
  uint64_t number = 0;                  // among the program's calls, the first is 1
  std::optional<uint64_t> launch = {};  // its number, the first is 0
  /// "cudaMalloc, called by main+0x12 (call 3)".
  std::string text() const;
};

struct Finding {
  Kind kind = Kind::Fault;
  std::shared_ptr<const ptx::Module> module;  // into whose text `where` points
  SourceSpan where;
  std::string kernel;
  ThreadPlace place;
  uint32_t pc = ptx::kNoIndex;  // in the kernel; kNoIndex: not of one instruction
  bool has_thread = true;
  std::string cuda_file;  // of the line of the user; empty: none
  uint32_t cuda_line = 0;
  std::optional<Addr> address;
  std::string buffer;    // empty: none
  std::string variable;  // with its element: "tile[17]"; empty: none
  std::string message, hint;
  std::string remedy;  // what would mend it; empty: nothing is known
  std::optional<OtherAccess> other;
  std::optional<RacePair> race;
  std::optional<HostCall> launched_by, allocated_by;  // the launch, and the buffer
  uint64_t count = 1;
};

/// The first occurrence of a finding at an instruction: kernel, place, thread. Message, hint and address are still to
/// be filled in.
Finding finding_at(Kind kind, const sim::LaunchContext& launch, uint32_t pc, uint64_t block, uint32_t thread);
/// The first occurrence of a finding at a lane of a warp; the rest is still to be filled in.
Finding finding_at(Kind kind, const sim::WarpEvent& event, uint32_t lane);

OtherAccess other_access(const sim::LaunchContext& launch, uint32_t pc, uint64_t block, uint32_t thread,
                         std::string variable = {});
ThreadPlace place_of(const sim::LaunchContext& launch, uint32_t pc, uint64_t block, uint32_t thread);

/// The line of code that distinguishes occurrences: of the CUDA source, or where there is none of the PTX text.
struct LineKey {
  const ptx::Module* module = nullptr;
  uint32_t file = 0, line = 0;  // file 0: of the PTX text
  auto operator<=>(const LineKey&) const = default;
};
LineKey line_key(const sim::LaunchContext& launch, uint32_t pc);

/// All findings of a run, in the order of first occurrence. Each line has one of each kind and variable, and each pair
/// of lines one race.
class Findings {
 public:
  /// Whether the line has no finding of this kind yet; if it has one, that is counted. `name`: of the variable or
  /// register; lines of PTX have one finding for all of them.
  bool is_new(Kind kind, const sim::LaunchContext& launch, uint32_t pc, uint64_t occurrences = 1,
              std::string_view name = {});
  bool is_new(Kind kind, const LineKey& line, uint64_t occurrences = 1);
  void add(Finding finding) {
    finding.launched_by = launched_by_;
    all_.push_back(std::move(finding));
    if (added_) added_(all_.back());
  }
  /// The race of these two lines and this variable; nullptr: it is new, and the next add() is of it.
  Finding* race_of(const sim::LaunchContext& launch, const RacePair& pair, std::string_view name);
  /// In its place, with its count: another occurrence says more.
  void replace(Finding& known, Finding by);
  /// Called with each finding at its first occurrence.
  void notify(std::function<void(const Finding&)> added) { added_ = std::move(added); }
  /// The launch that the next findings are of.
  void launched_by(HostCall call) { launched_by_ = std::move(call); }
  const std::vector<Finding>& all() const { return all_; }
  std::vector<Finding>& all() { return all_; }
  /// Whether one of them is more than a warning.
  bool any_error() const;
  /// The run has ended: what mends them is found, and races that one barrier mends become one finding.
  void settle();

 private:
  using Key = std::tuple<Kind, LineKey, std::string>;
  using RaceKey = std::tuple<LineKey, LineKey, ptx::Space, std::string>;
  std::vector<Finding> all_;
  std::map<Key, size_t> index_;  // in all_
  std::map<RaceKey, size_t> races_;
  std::function<void(const Finding&)> added_;
  std::optional<HostCall> launched_by_;
};

/// The finding that a launch's fault is.
Finding finding_of(Kind kind, const sim::Fault& fault, const sim::LaunchContext& launch);

}  // namespace warptime::debug
