// Which read a request of a half-warp is merged with: the table of the half-warps under way against a search among all
// reads that there have been, on random traffic.
#include "sim/mem/merged_requests.h"

#include <catch2/catch.hpp>
#include <vector>

#include "base/random.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr uint32_t kSms = 3, kNobody = ~uint32_t{0};

struct PlainRead {
  PartitionRequest request;
  uint32_t mshr;
  bool served = false;
  uint64_t data_end = 0;
  std::vector<uint32_t> merged;  // numbers, in the order of arrival
};

/// The youngest read of the same SM, half-warp and word whose data are not out at `now`.
uint32_t search_all(const std::vector<PlainRead>& reads, const PartitionRequest& request, uint64_t now) {
  for (auto i = static_cast<uint32_t>(reads.size()); i-- > 0;) {
    const PlainRead& read = reads[i];
    if (read.request.sm != request.sm || read.request.group() != request.group()) continue;
    if (read.request.word() == request.word() && (!read.served || now <= read.data_end)) return i;
  }
  return kNobody;
}

struct HalfWarps {
  explicit HalfWarps(uint64_t seed) : random(seed) {}

  /// An SM's next request: of the same half-warp, or of its next one.
  PartitionRequest next() {
    const auto sm = static_cast<uint16_t>(random.below(kSms));
    if (random.below(12) == 0) ++group[sm];
    PartitionRequest request;
    request.sm = sm;
    request.run = run++;
    request.place = PartitionRequest::place_of(100 + random.below(4), random.below(4), group[sm]);
    return request;
  }

  SplitMix64 random;
  std::array<uint32_t, kSms> group{};
  uint32_t run = 0;
};

/// How many requests are merged with a read, and how many come behind its last column access.
std::pair<uint32_t, uint32_t> compare_table(uint64_t seed) {
  HalfWarps traffic(seed);
  SameAddressTable table(kSms);
  MergedRequests mshrs;
  std::vector<PlainRead> reads;
  std::vector<uint32_t> waiting;  // reads that are not served
  uint32_t merged = 0, late = 0;
  for (uint64_t now = 0; now < 4000; now += traffic.random.below(4)) {
    if (!waiting.empty() && traffic.random.below(3) == 0) {
      const size_t chosen = traffic.random.below(waiting.size());
      PlainRead& read = reads[waiting[chosen]];
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
      read.served = true;
      read.data_end = now + traffic.random.below(60);
      table.served(read.request, read.mshr, read.data_end);
      std::vector<uint32_t> answered;
      mshrs.answer(read.mshr, [&](const Arrival& arrival) { answered.push_back(arrival.request.run); });
      REQUIRE(answered == read.merged);
      continue;
    }
    const PartitionRequest request = traffic.next();
    const uint32_t expected = search_all(reads, request, now), mshr = mshrs.allocate();
    const SameAddressTable::Read* found = table.lookup_or_allocate(request, mshr, now);
    INFO("seed " << seed << ", request " << request.run);
    REQUIRE((found != nullptr) == (expected != kNobody));
    if (found == nullptr) {
      waiting.push_back(static_cast<uint32_t>(reads.size()));
      reads.push_back({request, mshr, false, 0, {}});
      continue;
    }
    PlainRead& read = reads[expected];
    mshrs.release(mshr);
    REQUIRE(found->served == read.served);
    if (read.served) {
      REQUIRE(found->data_end == read.data_end);
      ++late;
      continue;
    }
    REQUIRE(found->mshr == read.mshr);
    Arrival arrival;
    arrival.request = request;
    mshrs.merge(found->mshr, arrival);
    read.merged.push_back(request.run);
    ++merged;
  }
  return {merged, late};
}

}  // namespace

TEST_CASE("the table of half-warps finds the read that a search among all finds", "[merge]") {
  uint32_t merged = 0, late = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    auto [of_seed, late_of_seed] = compare_table(seed);
    merged += of_seed;
    late += late_of_seed;
  }
  CHECK(merged > 5000);
  CHECK(late > 1000);
}
