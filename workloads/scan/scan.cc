// scan: exclusive prefix sums of an array of any length. Pieces of 512 are summed up by a block each; their sums are
// scanned in the same way, level by level, and added to the elements of the next pieces.
#include <cmath>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kThreads = 256, kPiece = 2 * kThreads, kPadded = kPiece + kPiece / 16;

uint32_t pieces_of(uint32_t n) { return (n + kPiece - 1) / kPiece; }

struct Scanner {
  host::Device& device;
  host::ModuleRef module;
  double time_us = 0;
  bool timed = true;

  void launched(const host::LaunchResult& launch) {
    time_us += launch.time_us;
    timed = timed && launch.timed;
  }
  host::Buffer zeros(uint32_t pieces, const char* name) {
    host::Buffer out = device.allocate<float>(size_t{pieces} * kPiece, name);
    std::vector<float> empty(size_t{pieces} * kPiece);
    device.write_bytes(out.address, std::as_bytes(std::span(empty)));
    return out;
  }
  /// The scan of `pieces` whole pieces.
  host::Buffer scan(const host::Buffer& in, uint32_t pieces) {
    host::Buffer out = zeros(pieces, "scan"), sums = zeros(pieces_of(pieces), "sums");
    host::LaunchOptions options;
    options.dynamic_shared_bytes = kPadded * sizeof(float);
    launched(device.launch(module, "scan_piece", {pieces}, {kThreads}, {out, in, sums}, options));
    if (pieces == 1) return out;
    host::Buffer before = scan(sums, pieces_of(pieces));
    launched(device.launch(module, "add_before", {pieces}, {kThreads}, {out, before}));
    return out;
  }
};

void run(host::WorkloadContext& context) {
  auto n = static_cast<uint32_t>(context["n"]);
  std::vector<float> values(size_t{pieces_of(n)} * kPiece), expected(n), result(n);
  host::SplitMix64 random(31);
  for (uint32_t i = 0; i < n; ++i) values[i] = static_cast<float>(random.next() & 1);  // whole sums are exact in f32
  Scanner scanner{context.device, context.device.load_module_file(context.directory + "/scan.ptx")};
  host::Buffer in = context.device.allocate<float>(values.size(), "in");
  context.device.copy_to(in, values, "in");
  host::Buffer out = scanner.scan(in, pieces_of(n));
  if (scanner.timed) {
    context.device.add_figure({"scan_ms", scanner.time_us / 1e3, "ms", "all launches, their kernels alone"});
    context.device.add_figure({"ns_per_element", scanner.time_us * 1e3 / n, "ns", "that time over the elements"});
  }
  context.device.read_bytes(std::as_writable_bytes(std::span(result)), out.address);
  if (!context.check) return;
  for (uint32_t i = 1; i < n; ++i) expected[i] = expected[i - 1] + values[i - 1];
  context.checks.push_back(host::compare("prefix sums", ptx::Type::F32, std::as_bytes(std::span(result)),
                                         std::as_bytes(std::span(expected)), {}));
}

const bool kRegistered = host::register_workload({
    .name = "scan",
    .summary = "prefix sums of an array: a tree in shared memory per block, sums of the blocks level by level",
    .variants = {},
    .parameters =
        {{.name = "n", .default_value = 1 << 20, .low = 1, .high = 1 << 24, .choices = {}, .what = "elements"}},
    .published = {},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
