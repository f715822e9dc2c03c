// Variants bandwidth, reads, ladder and host: coalesced reading, writing and copying by threads and size; the runs of
// Baskaran et al. 2008, table 1; a chain of loads; launches and copies as the host sees them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/device/model.h"
#include "host/workload/compare.h"
#include "micro.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kSms = 16;

/// An array with its copy on the device, a module, and the launches of the three kernels over it.
class Streams {
 public:
  Streams(host::WorkloadContext& context, uint32_t words)
      : context_(context),
        device_(context.device),
        module_(device_.load_module_file(context.directory + "/micro.ptx")),
        values_(words),
        in_(device_.allocate<uint32_t>(words, "in")),
        out_(device_.allocate<uint32_t>(std::max(words, std::max(kSms, sim::sm_count(device_.machine().config)) * 768),
                                        "out")) {
    std::iota(values_.begin(), values_.end(), 1u);
    device_.copy_to(in_, values_, "in");
  }

  /// Microseconds of a kernel over the first `words`; checks what it leaves behind. Reading: so many times.
  double run(const std::string& kernel, uint32_t blocks, uint32_t threads, uint32_t words, uint32_t passes = 1) {
    device_.write_bytes(out_.address, std::as_bytes(std::span(values_)));  // nothing that any of them leaves
    std::vector<host::Argument> arguments{out_, host::arg_u32(words)};
    if (kernel != "write") arguments.insert(arguments.begin(), in_);
    if (reads(kernel)) arguments.push_back(host::arg_u32(passes));
    double time_us = device_.launch(module_, kernel, {blocks}, {threads}, arguments, {}).time_us;
    if (context_.check) check(kernel, blocks * threads, words, passes);
    return time_us;
  }

  uint32_t words() const { return static_cast<uint32_t>(values_.size()); }

 private:
  static bool reads(const std::string& kernel) { return kernel.starts_with("read"); }

  void check(const std::string& kernel, uint32_t threads, uint32_t words, uint32_t passes) {
    std::vector<uint32_t> expected(reads(kernel) ? threads : words), result(expected.size());
    for (uint32_t i = 0; i < words; ++i)
      if (kernel == "read") expected[i % threads] += passes * values_[i];
      else if (kernel == "read_pieces") expected[i / (words / threads)] += passes * values_[i];
      else expected[i] = kernel == "copy" ? values_[i] : i;
    device_.read_bytes(std::as_writable_bytes(std::span(result)), out_.address);
    context_.checks.push_back(host::compare(kernel, ptx::Type::U32, std::as_bytes(std::span(result)),
                                            std::as_bytes(std::span(expected)), {}));
  }

  host::WorkloadContext& context_;
  host::Device& device_;
  host::ModuleRef module_;
  std::vector<uint32_t> values_;
  host::Buffer in_, out_;
};

/// Latency of a load: one thread, each address the word before.
void measure_latency(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto module = device.load_module_file(context.directory + "/micro.ptx");
  constexpr uint32_t kWords = 4096, kUnrolled = 16, kRounds = 8;
  host::Buffer in = device.allocate<uint64_t>(kWords, "ring"), out = device.allocate<uint64_t>(1, "end");
  // 67 words on each time: other partitions and rows.
  std::vector<uint64_t> ring(kWords);
  for (uint32_t i = 0; i < kWords; ++i) ring[i] = in.address + (i + 67) % kWords * 8;
  device.copy_to(in, ring, "ring");
  double cycles[2];
  for (uint32_t i : {0u, 1u})
    cycles[i] = static_cast<double>(
        device.launch(module, "chase", {1}, {1}, {in, out, host::arg_u32((i + 1) * kRounds)}, {}).cycles);
  std::vector<uint64_t> end(1), expected{in.address + 2 * kRounds * kUnrolled * 67 % kWords * 8};
  device.copy_from(end, out, "end");
  device.add_figure({"latency_global", (cycles[1] - cycles[0]) / (kRounds * kUnrolled), "cycles",
                     "from a load to the next one at the address that it loaded, on an idle chip"});
  if (context.check)
    context.checks.push_back(host::compare("end of the chain", ptx::Type::U64, std::as_bytes(std::span(end)),
                                           std::as_bytes(std::span(expected)), {}));
}

}  // namespace

void measure_bandwidth(host::WorkloadContext& context) {
  Streams streams(context, static_cast<uint32_t>(context["kilobytes"]) * 256);
  uint32_t words = streams.words();
  auto rate = [&](const std::string& kernel, uint32_t threads_of_sm, uint32_t count) {
    uint32_t blocks = (threads_of_sm + 255) / 256;
    double time_us = streams.run(kernel, kSms * blocks, threads_of_sm / blocks, count);
    return (kernel == "copy" ? 8.0 : 4.0) * count / time_us / 1e3;
  };
  for (const std::string kernel : {"read", "write", "copy"}) {
    for (uint32_t threads : {32u, 64u, 128u, 256u, 512u, 768u})
      context.device.add_figure({kernel + "_" + fmt::to_string(threads) + "_threads", rate(kernel, threads, words),
                                 "GB/s", "with so many threads on each of 16 SMs"});
    for (uint32_t size = 64; size * 256 <= words; size *= 4)
      context.device.add_figure({kernel + "_" + fmt::to_string(size) + "_kb", rate(kernel, 768, size * 256), "GB/s",
                                 "of arrays of this size, with 768 threads per SM"});
  }
}

// Baskaran et al. print bandwidths, which are bytes over time. Their times are a line in the bytes as good as the five
// points allow: both here and there the line with the least sum of squared relative deviations. What is timed here is a
// further pass over the array, whose code is cached and whose blocks run: the first launch of a kernel waits longer for
// its instructions than for these data. Sizes begin where every thread has a word to read; with fewer bytes it is
// threads that are fewer, and the time stays.
void measure_reads(host::WorkloadContext& context) {
  constexpr uint32_t kThreads = 512, kPasses = 8;
  Streams streams(context, 131072);
  auto time_ns = [&](const std::string& kernel, uint32_t words) {
    double once = streams.run(kernel, kSms, kThreads, words);
    return 1000 * (streams.run(kernel, kSms, kThreads, words, 1 + kPasses) - once) / kPasses;
  };
  double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
  for (uint32_t words = kSms * kThreads; words <= streams.words(); words *= 2) {
    double bytes = 4.0 * words, ns = time_ns("read", words);
    double weight = 1 / (ns * ns);
    s += weight;
    sx += weight * bytes;
    sxx += weight * bytes * bytes;
    sy += weight * ns;
    sxy += weight * bytes * ns;
    context.device.add_figure(
        {"read_" + fmt::to_string(words) + "_words", bytes / ns, "GB/s", "by 16 blocks of 512 threads"});
  }
  constexpr uint32_t kPiecesWords = 32768;
  context.device.add_figure({"read_pieces", 4.0 * kPiecesWords / time_ns("read_pieces", kPiecesWords), "GB/s",
                             "of 128 KB by the same threads, four words in a row each"});
  double slope = (s * sxy - sx * sy) / (s * sxx - sx * sx);
  context.device.add_figure({"read_slope", 1 / slope, "GB/s", "bytes that a longer read adds over the time it adds"});
  context.device.add_figure({"read_intercept", (sy - slope * sx) / s, "ns", "of a read of nothing on the same line"});
  measure_latency(context);
}

// A further pass over arrays of several sizes by as many threads as an SM of any machine holds: steps lie where the
// arrays no longer fit into a level of caches.
void measure_ladder(host::WorkloadContext& context) {
  constexpr uint32_t kThreads = 256, kBlocksOfSm = 3, kPasses = 2;
  const uint32_t sms = sim::sm_count(context.device.machine().config);
  Streams streams(context, static_cast<uint32_t>(context["kilobytes"]) * 256);
  auto cycles = [&](uint32_t words, uint32_t passes) {
    return streams.run("read", sms * kBlocksOfSm, kThreads, words, passes) *
           context.device.machine().config.clocks.shader_mhz;
  };
  for (uint32_t size = 32; size * 256 <= streams.words(); size *= 2) {
    const uint32_t words = size * 256;
    if (keeps_l2(context.device)) cycles(words, 1);
    const double once = cycles(words, 1), further = (cycles(words, 1 + kPasses) - once) / kPasses;
    context.device.add_figure({"again_" + fmt::to_string(size) + "_kb", 4.0 * words / further / sms, "bytes",
                               "per cycle and SM in a further pass over an array of this size"});
  }
}

void measure_host(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto module = device.load_module_file(context.directory + "/micro.ptx");
  constexpr uint32_t kLaunches = 100, kWords = 1 << 18;
  std::vector<uint32_t> values(kWords, 7), result(kWords);
  host::Buffer buffer = device.allocate<uint32_t>(kWords, "buffer");
  auto elapsed = [&](auto&& work) {
    device.synchronize();
    double start = device.now_us();
    work();
    return device.now_us() - start;
  };
  auto launches = [&](bool synchronous) {
    host::LaunchOptions options;
    options.synchronous = synchronous;
    for (uint32_t i = 0; i < kLaunches; ++i)
      device.launch(module, "write", {1}, {32}, {buffer, host::arg_u32(32)}, options);
  };
  device.add_figure({"launch_asynchronous", elapsed([&] { launches(false); }) / kLaunches, "us",
                     "of the host for a launch that it does not wait for"});
  device.add_figure({"launch_synchronous", elapsed([&] { launches(true); }) / kLaunches, "us",
                     "of the host for a launch that it waits for, of a block that does next to nothing"});
  for (bool pinned : {false, true}) {
    std::string name = pinned ? "copy_pinned" : "copy_pageable";
    std::span<const std::byte> all = std::as_bytes(std::span<const uint32_t>(values));
    host::CopyOptions options{.pinned = pinned, .asynchronous = false};
    double small = elapsed([&] { device.copy_to_bytes(buffer, all.first(4), "word", 0, options); });
    double large = elapsed([&] { device.copy_to_bytes(buffer, all, "buffer", 0, options); });
    device.add_figure({name + "_latency", small, "us", "of a copy of a word to the device"});
    device.add_figure({name + "_gb_s", (4.0 * kWords - 4) / (large - small) / 1e3, "GB/s", "to the device"});
  }
  device.copy_from(result, buffer, "buffer");
  if (context.check)
    context.checks.push_back(host::compare("buffer", ptx::Type::U32, std::as_bytes(std::span(result)),
                                           std::as_bytes(std::span(values)), {}));
}

}  // namespace warptime::workloads
