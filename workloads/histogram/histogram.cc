// histogram: bytes counted in 64 bins, with atomic operations and without.
#include <array>
#include <string>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBins = 64;
constexpr uint32_t kAtomicsBlock = 256;
// The byte counters of a thread of `private` must not pass 255: four bytes per word, 60 words.
constexpr uint32_t kPrivateBlock = 64, kWordsPerPrivateBlock = kPrivateBlock * 60;

using Bins = std::vector<uint32_t>;

Bins histogram(const std::vector<uint32_t>& words) {
  Bins bins(kBins);
  for (uint32_t word : words)
    for (uint32_t byte = 0; byte < 4; ++byte) ++bins[(word >> (8 * byte) & 0xff) >> 2];
  return bins;
}

/// Bytes that are not evenly spread: the sum of two throws, so that some bins are wanted more than others.
std::vector<uint32_t> random_words(size_t count) {
  host::SplitMix64 random(7);
  std::vector<uint32_t> words(count);
  for (uint32_t& word : words) {
    uint64_t bits = random.next();
    word = 0;
    for (uint32_t byte = 0; byte < 4; ++byte) {
      uint64_t two = bits >> (16 * byte);
      word |= static_cast<uint32_t>(((two & 0xff) + (two >> 8 & 0xff)) / 2) << (8 * byte);
    }
  }
  return words;
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  std::vector<uint32_t> data = random_words(static_cast<size_t>(context["n"]) / 4);
  auto words = static_cast<uint32_t>(data.size());
  auto module = device.load_module_file(context.directory + "/histogram.ptx");
  host::Buffer device_data = device.allocate<uint32_t>(words, "data");
  host::Buffer device_bins = device.allocate<uint32_t>(kBins, "bins");
  device.copy_to(device_data, data, "data");

  auto check = [&](const std::string& variant) {
    Bins bins(kBins);
    device.copy_from(bins, device_bins, "bins");
    if (!context.check) return;
    Bins expected = histogram(data);
    context.checks.push_back(host::compare("bins of " + variant, ptx::Type::U32, std::as_bytes(std::span(bins)),
                                           std::as_bytes(std::span(expected)), {0, 0}));
  };

  if (context.runs("atomics")) {
    device.copy_to(device_bins, Bins(kBins), "bins");
    auto blocks = static_cast<uint32_t>(context["blocks"]);
    device.launch(module, "histogram_atomics", {blocks}, {kAtomicsBlock},
                  {device_data, host::arg_u32(words), device_bins});
    check("atomics");
  }
  if (context.runs("private")) {
    uint32_t blocks = (words + kWordsPerPrivateBlock - 1) / kWordsPerPrivateBlock;
    host::Buffer partial = device.allocate<uint32_t>(uint64_t{blocks} * kBins, "partial");
    device.launch(module, "histogram_private", {blocks}, {kPrivateBlock},
                  {device_data, host::arg_u32(words), host::arg_u32(kWordsPerPrivateBlock), partial});
    device.launch(module, "histogram_merge", {kBins}, {64}, {partial, host::arg_u32(blocks), device_bins});
    check("private");
  }
}

const bool kRegistered = host::register_workload({
    .name = "histogram",
    .summary = "bytes counted in 64 bins, with atomic operations and without",
    .variants = {"atomics", "private"},
    .parameters = {{.name = "n", .default_value = 1 << 20, .low = 4, .high = 1 << 28, .choices = {}, .what = "bytes"},
                   {.name = "blocks",
                    .default_value = 64,
                    .low = 1,
                    .high = 65535,
                    .choices = {},
                    .what = "blocks of 256 threads (variant atomics)"}},
    .published = {},
    .needs = {{"atomics", {"shared_atomics", "global_atomics"}}},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
