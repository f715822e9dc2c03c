// The products of warpgroups (wgmma) that are under way on an SM. Each has read its operands when it was issued; its
// results are in their registers only when the warp waits for its group, and before that only products behind it see
// them. The timing of the SM sets the cycle from which on a product is complete; in functional runs it is at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "sim/exec/warpgroup_product.h"

namespace warptime::sim {

class AsyncProducts {
 public:
  explicit AsyncProducts(uint32_t warps) : warps_(warps) {}

  /// A warp starts there.
  void start_warp(uint32_t slot) {
    if (warps_[slot].groups != 0 || !warps_[slot].products.empty()) [[unlikely]]
      warps_[slot] = {};
  }

  /// Multiplies what a warp has. Otherwise the first address that is outside of shared memory.
  std::optional<uint32_t> begin(uint32_t slot, uint32_t pc, const WarpgroupProduct& of, const ProductInput& in);
  /// Time: the product that the warp began last is complete at `ready`.
  void complete_at(uint32_t slot, Cycle ready) { warps_[slot].products.back().ready = ready; }
  void commit(uint32_t slot);
  /// Since when all groups of a warp but the last `groups` are complete.
  Cycle ready(uint32_t slot, uint32_t groups) const;
  /// Their results arrive in the warp's registers.
  void arrive(uint32_t slot, uint32_t groups, const WarpValues& values);

 private:
  struct Result {
    uint32_t row = 0;  // byte offset in the warp's registers
    RegisterLanes lanes{};

    template <class Archive>
    void serialize(Archive& archive) {
      archive(row, lanes);
    }
  };
  struct Product {
    std::vector<Result> results;  // without those that a later product has computed anew
    uint32_t pc = 0;
    uint32_t group = 0;  // of those that the warp has committed
    bool open = true;    // not committed
    Cycle ready = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(results);
      archive.index(pc, archive.limits.code);
      archive(group, open, ready);
    }
  };
  struct Warp {
    std::vector<Product> products;  // in the order of issue
    uint32_t groups = 0;            // committed

    bool is_due(const Product& product, uint32_t last) const {
      return !product.open && uint64_t{product.group} + last < groups;
    }
    const Result* find(uint32_t row, size_t expected) const;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(products, groups);
    }
  };

  std::vector<Warp> warps_;           // by warp slot
  std::vector<RegisterLanes> spare_;  // results of the product that is being computed

 public:
  /// Calls f(row, pc) for each register of a warp that a product under way will write.
  template <class F>
  void for_each_result(uint32_t slot, const F& f) const {
    for (const Product& product : warps_[slot].products)
      for (const Result& result : product.results) f(result.row, product.pc);
  }
  /// Saves or restores what changes (base/state_archive.h). `row_bytes`: of the registers of a warp.
  template <class Archive>
  void serialize(Archive& archive, uint32_t row_bytes) {
    archive.table(warps_);
    for (const Warp& warp : warps_)
      for (const Product& product : warp.products)
        for (const Result& result : product.results)
          archive.expect(result.row % kRowBytes == 0 && result.row < row_bytes);
  }
};

}  // namespace warptime::sim
