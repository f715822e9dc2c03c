// The part of racecheck that follows products of warpgroups (wgmma): accesses to registers and shared memory that a
// product under way still uses, and registers written without wgmma.fence before a product uses them. By which proxy
// it reads shared memory is left to proxy_check.h.
#pragma once

#include <cstdint>
#include <vector>

#include "debug/check/finding.h"
#include "debug/check/proxy_check.h"
#include "debug/check/space_access.h"

namespace warptime::debug {

class ProductCheck {
 public:
  explicit ProductCheck(Findings& findings) : findings_(findings) {}

  void begins(const sim::LaunchContext& launch);
  /// Whether the kernel has products, so that all of its instructions count.
  bool follows() const { return follows_; }
  void starts(const sim::SmState& sm, uint64_t slots);

  static constexpr uint32_t kPieceBytes = ProxyCheck::kPieceBytes;
  /// What a product reads in shared memory: pieces of these bytes, for a warp at the product's instruction.
  struct Reads {
    uint32_t pc = ptx::kNoIndex;
    std::vector<uint32_t> pieces;
  };
  /// An instruction of a kernel with products. Returns what products read that begin or, if it is a wait, are over.
  std::vector<Reads> executes(const sim::WarpEvent& event);
  /// The lanes of an access that write what a product still reads: each is reported.
  uint32_t check(const SpaceAccess& access);

 private:
  struct Uses {
    std::vector<uint32_t> reads, writes;  // registers
  };
  struct UnderWay {
    uint32_t pc = 0;
    uint32_t group = 0;
    bool is_open = true;  // in no group yet
    std::vector<uint32_t> pieces;
  };
  struct WarpProducts {
    std::vector<UnderWay> products;
    uint32_t groups = 0;
    bool fenced = false;            // a wgmma.fence has been executed
    std::vector<uint32_t> written;  // by register: the instruction that wrote it since the last fence, or kNoIndex
  };

  WarpProducts& warp_of(const sim::SmState& sm, uint32_t slot) {
    return warps_[size_t{sm.index()} * sm.warp_slots() + slot];
  }
  Reads begin(const sim::WarpEvent& event, WarpProducts& warp);
  void uses_registers(const sim::WarpEvent& event, WarpProducts& warp);
  const UnderWay* user_of(const WarpProducts& warp, uint32_t reg, bool is_written, uint32_t pc) const;
  void report(Kind kind, const sim::WarpEvent& event, uint32_t lane, std::string name, std::string message,
              uint32_t other_pc, uint32_t other_thread);

  Findings& findings_;
  const sim::LaunchContext* launch_ = nullptr;
  bool follows_ = false;
  std::vector<Uses> uses_;           // by instruction
  std::vector<bool> of_products_;    // by register: whether a product reads or writes it
  std::vector<WarpProducts> warps_;  // by SM and warp slot
};

}  // namespace warptime::debug
