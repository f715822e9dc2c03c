// The core of the CPU baseline, with the values of the Opteron 248: 3 macro-operations a cycle, a window of 72; an
// addition takes 4 cycles, one starts each cycle; a load takes 3, two start each cycle.
#include <catch2/catch.hpp>

#include "cpu/baseline.h"
#include "cpu/counted.h"

namespace warptime::cpu {

namespace {

using Float = Counted<float>;
using Word = Counted<uint32_t>;

const CpuConfig& opteron() {
  static const CpuConfig config = [] {
    Diagnostics diagnostics;
    auto cpu = load_cpu("cpu-opteron-248", WARPTIME_SOURCE_DIR "/configs", diagnostics);
    INFO(diagnostics.to_text());
    REQUIRE(cpu.has_value());
    return cpu->config;
  }();
  return config;
}

/// Cycles of what `work` counts.
template <class Work>
double cycles_of(Work work, bool packed = false) {
  CpuCore core(opteron(), packed);
  work(core);
  return core.cycles();
}

uint64_t counted_of(const CpuCore& core, CpuOperation operation) {
  return core.operations()[static_cast<size_t>(operation)];
}

}  // namespace

TEST_CASE("cpu: a chain takes its latencies, independent operations the throughput of their pipe") {
  CHECK(cycles_of([](CpuCore&) {
          Float sum = 0;
          for (int i = 0; i < 100; ++i) sum += 1.0f;
        }) == 400);
  // The last starts in cycle 99.
  CHECK(cycles_of([](CpuCore&) {
          Float x = 1;
          for (int i = 0; i < 100; ++i) x + 1.0f;
        }) == 103);
  // Additions and multiplications have a pipe each.
  CHECK(cycles_of([](CpuCore&) {
          Float x = 1;
          for (int i = 0; i < 100; ++i) {
            x + 1.0f;
            x * 1.0f;
          }
        }) == 103);
  // The divider is held for 13 cycles: 4 x 13 + 16.
  CHECK(cycles_of([](CpuCore&) {
          Float x = 1;
          for (int i = 0; i < 5; ++i) x / 3.0f;
        }) == 68);
}

TEST_CASE("cpu: three macro-operations are decoded a cycle") {
  auto additions = [](int n) {
    return cycles_of([n](CpuCore&) {
      Word x = 1;
      for (int i = 0; i < n; ++i) x + 1u;
    });
  };
  CHECK(additions(99) == 33);
  CHECK(additions(100) == 34);
}

TEST_CASE("cpu: an operand from memory belongs to the operator's macro-operation") {
  auto additions = [](bool fused) {
    return cycles_of([fused](CpuCore& core) {
      CountedArray<uint32_t> a(1);
      Word one = a[0];
      core.restart();
      for (int i = 0; i < 30; ++i)
        if (fused) {
          one + a[0];
        } else {
          Word v = a[0];
          one + v;
        }
    });
  };
  // Two loads per cycle: the last in cycle 14, 3 cycles, an addition of 1.
  CHECK(additions(true) == 18);
  // The last load is macro-operation 58, decoded in cycle 19.
  CHECK(additions(false) == 23);
}

TEST_CASE("cpu: a miss holds the window, not what is in it") {
  auto after_a_miss = [](int operations) {
    return cycles_of([operations](CpuCore&) {
      CountedArray<float> a(1);
      [[maybe_unused]] Float v = a[0];
      Word x = 1;
      for (int i = 0; i < operations; ++i) x + 1u;
    });
  };
  // 60 ns are 132 cycles, and 3 of any load.
  CHECK(after_a_miss(0) == 135);
  CHECK(after_a_miss(71) == 135);
  // The 72nd enters the window when the load has left it.
  CHECK(after_a_miss(72) == 136);
  CHECK(after_a_miss(75) == 137);
}

TEST_CASE("cpu: an index that data decide is waited for, a load waits for the store of its element") {
  // Each load of the chain takes 3 cycles.
  CHECK(cycles_of([](CpuCore& core) {
          std::vector<uint32_t> ring{1, 2, 3, 0};
          CountedArray<uint32_t> next(ring);
          Word place = next[0];
          core.restart();
          for (int i = 0; i < 10; ++i) place = next[place];
          CHECK(place.value() == 3);
        }) == 30);
  // Load 3, then 8 a time: add 4, store 1, and 3 until the next load has it; the last ends with its store.
  CHECK(cycles_of([](CpuCore& core) {
          CountedArray<float> a(1);
          a[0] = 0.0f;
          core.restart();
          for (int i = 0; i < 10; ++i) a[0] += 1.0f;
          CHECK(a.plain(0) == 10);
        }) == 10 * 4 + 9 * (1 + 3) + 3 + 1);
}

TEST_CASE("cpu: a misprediction stops decoding until the outcome and 10 cycles more") {
  auto branch = [](bool taken) {
    return cycles_of([taken](CpuCore& core) {
      Word x = taken ? 0 : 2;
      if (x < 1u) x += 0u;
      Word(1) + 1u;
      CHECK(core.mispredicted() == (taken ? 0 : 1));
      CHECK(counted_of(core, CpuOperation::branch) == 1);
    });
  };
  // Counters begin with "taken": compared in cycle 0, branched in 1, known in 2; decoding goes on in 12.
  CHECK(branch(false) == 13);
  CHECK(branch(true) == 2);
}

TEST_CASE("cpu: branches with a pattern within the history are learnt, random ones are not") {
  auto mispredicted = [](auto outcome) {
    CpuCore core(opteron(), false);
    for (uint32_t i = 0; i < 10000; ++i) {
      Word x = outcome(i);
      if (x < 1u) continue;
    }
    return core.mispredicted();
  };
  CHECK(mispredicted([](uint32_t i) { return i % 5 == 0 ? 1u : 0u; }) < 20);
  uint64_t state = 1;
  auto random = mispredicted([&](uint32_t) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 63);
  });
  CHECK(random > 4000);
  CHECK(random < 6000);
}

TEST_CASE("cpu: a loop is an addition, a comparison and a branch, its end is mispredicted") {
  CpuCore core(opteron(), false);
  size_t sum = 0;
  for (size_t i : steps<Float>(3, 1003)) sum += i;
  CHECK(sum == 1000 * 1005 / 2);
  // Iteration k in cycle k, compared in k + 1, branched in k + 2; then 10 for the exit.
  CHECK(core.cycles() == 999 + 2 + 10);
  CHECK(counted_of(core, CpuOperation::integer) == 2000);
  CHECK(counted_of(core, CpuOperation::branch) == 1000);
  CHECK(core.mispredicted() == 1);
  for (size_t i : steps<Float>(3, 3)) FAIL("an empty range has an element " << i);
  for (size_t i : steps<Float>(3, 2)) FAIL("a reversed range has an element " << i);
}

TEST_CASE("cpu: packed code does four elements at once, two halves on each pipe") {
  CHECK(cycles_of(
            [](CpuCore&) {
              Float sum = 0;
              for (int i = 0; i < 100; ++i) sum += 1.0f;
            },
            true) == 500 / 4.0);
  // The last of 100 starts in cycle 198.
  CHECK(cycles_of(
            [](CpuCore&) {
              Float x = 1;
              for (int i = 0; i < 100; ++i) x + 1.0f;
            },
            true) == 203 / 4.0);
  // What cannot be packed takes as long as in scalar code: four times 100, and a cycle until the first four are
  // decoded.
  CHECK(cycles_of(
            [](CpuCore&) {
              Word sum = 0;
              for (int i = 0; i < 100; ++i) sum += 1u;
            },
            true) == 401 / 4.0);
  // Nor can the comparison that decides a branch.
  auto branches = [](CpuCore&) {
    Float x = 1;
    for (int i = 0; i < 100; ++i)
      if (x < 2.0f) x = 1;
  };
  CHECK(cycles_of(branches, true) == Approx(cycles_of(branches)).epsilon(0.02));
  // A loop's own instructions serve four elements.
  CHECK(cycles_of(
            [](CpuCore&) {
              for ([[maybe_unused]] size_t i : steps<Float>(1000))
                ;
            },
            true) == 1011 / 4.0);
}

TEST_CASE("cpu: packed division and roots are an estimate and a step of Newton's method") {
  // Estimate 4, three dependent multiplications and additions of 5, and one multiplication more.
  CHECK(cycles_of([](CpuCore&) { CHECK((Float(1.0f) / Float(3.0f)).value() == 1.0f / 3.0f); }, true) == 24 / 4.0);
  CHECK(cycles_of([](CpuCore&) { CHECK(rsqrt(Float(4.0f)).value() == 0.5f); }, true) == 24 / 4.0);
  CHECK(cycles_of([](CpuCore&) { CHECK(sqrt(Float(4.0f)).value() == 2.0f); }, true) == 29 / 4.0);
  CHECK(cycles_of([](CpuCore&) { rsqrt(Float(4.0f)); }) == 19 + 16);
}

TEST_CASE("cpu: sine and cosine are calls") {
  auto calls = [](CpuCore& core) {
    Float x = 0.5f;
    CHECK(sin(x).value() == std::sin(0.5f));
    CHECK(cos(x).value() == std::cos(0.5f));
    CHECK(counted_of(core, CpuOperation::sin_cos) == 2);
  };
  CHECK(cycles_of(calls) == 230);
  CHECK(cycles_of(calls, true) == 70);
}

TEST_CASE("cpu: a stream of lines takes memory's bandwidth, 44 cycles per line") {
  constexpr size_t kLines = 65536;  // 4 MB: four times the second cache
  CpuCore core(opteron(), false);
  CountedArray<float> a(kLines * 16);
  for (size_t i = 0; i < a.size(); ++i) a[i] + 1.0f;
  CHECK(core.cycles() == Approx(kLines * 44).epsilon(0.001));
  CHECK(core.memory_stats().l1_misses == kLines);
  CHECK(core.memory_stats().prefetched + core.memory_stats().l2_misses == kLines + 1);
  CHECK(core.memory_stats().written_back == 0);

  core.restart();
  for (size_t i = 0; i < a.size(); ++i) a[i] = 1.0f;
  // All but the lines that are still in the caches are written back.
  CHECK(core.memory_stats().written_back == Approx(kLines - 16384 - 1024).epsilon(0.001));
  CHECK(core.cycles() == Approx((2 * kLines - 16384 - 1024) * 44).epsilon(0.001));
}

TEST_CASE("cpu: what the second cache holds takes 12 cycles more") {
  auto chase = [](uint32_t lines) {
    CpuCore core(opteron(), false);
    std::vector<uint32_t> places(size_t{lines} * 16);
    for (uint32_t i = 0; i < lines; ++i) places[i * 16] = (i + 1) % lines * 16;
    CountedArray<uint32_t> next(places);
    Word place = 0;
    for (uint32_t i = 0; i < lines; ++i) place = next[place];
    core.restart();
    for (uint32_t i = 0; i < lines; ++i) place = next[place];
    return core.cycles() / lines;
  };
  CHECK(chase(512) == 3);                               // 32 KB
  CHECK(chase(4096) == Approx(3 + 12).epsilon(0.001));  // 256 KB
}

}  // namespace warptime::cpu
