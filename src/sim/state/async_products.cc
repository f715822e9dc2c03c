#include "sim/state/async_products.h"

#include <cstring>

namespace warptime::sim {

/// The results of the last product that computes the row; nullptr: none does. `expected`: where it stands if the
/// products have the same registers.
const AsyncProducts::Result* AsyncProducts::Warp::find(uint32_t row, size_t expected) const {
  for (size_t i = products.size(); i-- > 0;) {
    const std::vector<Result>& all = products[i].results;
    if (expected < all.size() && all[expected].row == row) return &all[expected];
    const auto found = std::find_if(all.begin(), all.end(), [row](const Result& result) { return result.row == row; });
    if (found != all.end()) return &*found;
  }
  return nullptr;
}

std::optional<uint32_t> AsyncProducts::begin(uint32_t slot, uint32_t pc, const WarpgroupProduct& of,
                                             const ProductInput& in) {
  Warp& warp = warps_[slot];
  const size_t count = of.d.size();
  std::vector<const uint32_t*> before(count);
  for (size_t i = 0; i < count; ++i) {
    const Result* under_way = warp.find(of.d[i].offset(), i);
    before[i] =
        under_way != nullptr ? under_way->lanes.data() : reinterpret_cast<const uint32_t*>(of.d[i].in(in.values));
  }
  spare_.resize(std::max(spare_.size(), count));
  if (const auto outside = multiply(of, in, before, {spare_.data(), count})) return outside;
  for (Product& product : warp.products)
    std::erase_if(product.results, [&](const Result& result) {
      return std::any_of(of.d.begin(), of.d.end(), [&](RowRef row) { return row.offset() == result.row; });
    });
  Product& product = warp.products.emplace_back();
  product.pc = pc;
  for (size_t i = 0; i < count; ++i) product.results.push_back({of.d[i].offset(), spare_[i]});
  return std::nullopt;
}

void AsyncProducts::commit(uint32_t slot) {
  Warp& warp = warps_[slot];
  for (Product& product : warp.products) {
    if (product.open) product.group = warp.groups;
    product.open = false;
  }
  ++warp.groups;
}

Cycle AsyncProducts::ready(uint32_t slot, uint32_t groups) const {
  const Warp& warp = warps_[slot];
  Cycle last = 0;
  for (const Product& product : warp.products)
    if (warp.is_due(product, groups)) last = std::max(last, product.ready);
  return last;
}

void AsyncProducts::arrive(uint32_t slot, uint32_t groups, const WarpValues& values) {
  Warp& warp = warps_[slot];
  for (const Product& product : warp.products) {
    if (!warp.is_due(product, groups)) continue;
    for (const Result& result : product.results)
      std::memcpy(values.rows() + result.row, result.lanes.data(), sizeof result.lanes);
  }
  std::erase_if(warp.products, [&](const Product& product) { return warp.is_due(product, groups); });
}

}  // namespace warptime::sim
