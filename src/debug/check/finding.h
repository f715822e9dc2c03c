// What a checker found: each place of a kernel once for each kind, with the first occurrence and the number of all.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
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
  std::string buffer;  // empty: none
  std::string message, hint;
  std::optional<ThreadPlace> other;  // the other thread of a race
  uint64_t count = 1;
};

/// The first occurrence of a finding at an instruction: kernel, place, thread. Message, hint and address are still to
/// be filled in.
Finding finding_at(Kind kind, const sim::LaunchContext& launch, uint32_t pc, uint64_t block, uint32_t thread);
/// The same for a lane of a warp.
Finding finding_at(Kind kind, const sim::WarpEvent& event, uint32_t lane);

ThreadPlace place_of(const sim::LaunchContext& launch, uint32_t pc, uint64_t block, uint32_t thread);

/// All findings of a run, in the order of first occurrence.
class Findings {
 public:
  /// Whether the place has no finding of this kind yet; if it has one, that is counted.
  bool is_new(Kind kind, const sim::LaunchContext& launch, uint32_t pc, uint64_t occurrences = 1);
  bool is_new(Kind kind, const ptx::Module* module, uint32_t line, uint64_t occurrences = 1);
  void add(Finding finding) {
    all_.push_back(std::move(finding));
    if (added_) added_(all_.back());
  }
  /// Called with each finding at its first occurrence.
  void notify(std::function<void(const Finding&)> added) { added_ = std::move(added); }
  const std::vector<Finding>& all() const { return all_; }
  /// Whether one of them is more than a warning.
  bool any_error() const;

 private:
  using Key = std::tuple<Kind, const ptx::Module*, uint32_t>;  // with the line
  std::vector<Finding> all_;
  std::map<Key, size_t> index_;  // in all_
  std::function<void(const Finding&)> added_;
};

/// The finding that a launch's fault is.
Finding finding_of(Kind kind, const sim::Fault& fault, const sim::LaunchContext& launch);

}  // namespace warptime::debug
