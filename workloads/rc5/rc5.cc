// rc5: the key of an RC5-32/12/9 cipher, searched for with a known block of plain and ciphertext. The key is planted
// among those that are tried; the words of keys carry into each other in the middle of the search.
#include <fmt/format.h>

#include <algorithm>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlock = 192, kRegisters = 42;     // Ryoo et al. 2008, table 3: 3072 active threads, 16 SMs
constexpr uint32_t kScreen = 0xf;                     // as the kernel's
constexpr uint64_t kCheckedKeys = uint64_t{1} << 20;  // that a check may try on the CPU

using Key = std::array<uint32_t, 3>;
using Block = std::array<uint32_t, 2>;

Key after(Key key, uint64_t steps) {
  uint64_t low = (uint64_t{key[1]} << 32 | key[0]), sum = low + steps;
  return {static_cast<uint32_t>(sum), static_cast<uint32_t>(sum >> 32), key[2] + (sum < low ? 1 : 0)};
}

struct Problem {
  Block plain, cipher;
  Key first, secret;

  explicit Problem(uint64_t keys) {
    host::SplitMix64 random(11);
    auto word = [&] { return static_cast<uint32_t>(random.next()); };
    plain = {word(), word()};
    first = {static_cast<uint32_t>(-(keys / 2)), 0xffffffff, word() & 0x7f};
    secret = after(first, random.below(keys));
    std::array<uint32_t, kRc5Subkeys> subkeys;
    expand_key(secret, subkeys);
    cipher = encrypt(plain, subkeys);
  }
};

/// The counts of evenly spread threads: all of a short search.
host::Check check_counts(const Problem& problem, const std::vector<uint32_t>& screened, uint32_t keys) {
  uint64_t stride = std::max<uint64_t>(1, screened.size() * keys / kCheckedKeys) | 1;  // odd: every lane comes
  host::Comparison comparison("screened", ptx::Type::U32, {});
  std::array<uint32_t, kRc5Subkeys> subkeys;
  for (uint64_t thread = 0; thread < screened.size(); thread += stride) {
    auto outcome =
        search_keys(problem.plain, problem.cipher, after(problem.first, thread * keys), keys, kScreen, subkeys);
    comparison.element(screened[thread], outcome.screened, [&] { return "thread " + fmt::to_string(thread); });
  }
  return comparison.result();
}

/// Without a variant: the faster one.
void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  const char* kernel = context.variant == "unrolled" ? "search_unrolled" : "search_rolled";
  auto blocks = static_cast<uint32_t>(context["blocks"]), keys = static_cast<uint32_t>(context["keys"]);
  Problem problem(uint64_t{blocks} * kBlock * keys);
  auto module = device.load_module_file(context.directory + "/rc5.ptx");
  std::vector<uint32_t> found(3), screened(size_t{blocks} * kBlock);
  host::Buffer device_found = device.allocate<uint32_t>(found.size(), "found");
  host::Buffer device_screened = device.allocate<uint32_t>(screened.size(), "screened");
  device.copy_to(device_found, found, "found");

  host::LaunchOptions options;
  options.registers_per_thread = kRegisters;
  std::vector<host::Argument> arguments;
  for (uint32_t value : {problem.plain[0], problem.plain[1], problem.cipher[0], problem.cipher[1], problem.first[0],
                         problem.first[1], problem.first[2], keys})
    arguments.push_back(host::arg_u32(value));
  arguments.insert(arguments.end(), {device_found, device_screened});
  const auto& launch = device.launch(module, kernel, {blocks}, {kBlock}, arguments, options);
  if (launch.timed)
    device.add_figure({"keys", static_cast<double>(screened.size()) * keys / launch.time_us, "M keys/s", "tried"});
  device.copy_from(found, device_found, "found");
  device.copy_from(screened, device_screened, "screened");

  if (!context.check) return;
  context.checks.push_back(host::compare("key", ptx::Type::U32, std::as_bytes(std::span(found)),
                                         std::as_bytes(std::span(problem.secret)), {}));
  context.checks.push_back(check_counts(problem, screened, keys));
}

/// The first keys.
void run_on_cpu(cpu::CpuContext& context) {
  constexpr uint64_t kCounted = 1000;
  uint64_t keys = static_cast<uint64_t>(context["blocks"] * context["keys"]) * kBlock,
           counted = std::min(keys, kCounted);
  Problem problem(keys);
  auto number = [](auto words) {
    std::array<cpu::Counted<uint32_t>, words.size()> out;
    std::copy(words.begin(), words.end(), out.begin());
    return out;
  };
  cpu::CountedArray<uint32_t> subkeys(kRc5Subkeys);
  search_keys(number(problem.plain), number(problem.cipher), number(problem.first), static_cast<uint32_t>(counted),
              kScreen, subkeys);
  context.scale = static_cast<double>(keys) / static_cast<double>(counted);
  if (counted < keys) context.part = fmt::format("{} of {} keys", counted, keys);
}

host::Published published_registers(const char* variant) {
  return {variant, "registers per thread", kRegisters, "", "Ryoo et al. 2008, table 3", "geforce-8800-gtx"};
}

const bool kRegistered = host::register_workload({
    .name = "rc5",
    .summary = "the key of an RC5-32/12/9 cipher by trial: rotations, integer additions, no memory",
    .variants = {"rolled", "unrolled"},
    .parameters =
        {{.name = "blocks",
          .default_value = 32,
          .low = 1,
          .high = 65535,
          .choices = {},
          .what = "blocks of 192 threads"},
         {.name = "keys", .default_value = 32, .low = 1, .high = 256, .choices = {}, .what = "keys per thread"}},
    .published = {published_registers(""), published_registers("rolled"), published_registers("unrolled")},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
