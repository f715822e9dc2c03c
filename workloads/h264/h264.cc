// h264: motion estimation by full search, a block of threads for each macroblock. The current frame is the reference
// frame of which each macroblock has moved by a seeded vector, with noise.
#include <fmt/format.h>

#include <algorithm>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kGroups = 6;      // of 41 threads
constexpr uint32_t kRegisters = 30;  // Ryoo et al. 2008, table 3
constexpr size_t kRows = 5;          // of displacements that the kernel takes together
constexpr size_t kSteps = (kSearchSide + kRows - 1) / kRows;
constexpr size_t kPitch =
    2 * ((kMotionPartitions * kRows * kSearchSide / 2 + 16) / 16 * 16);  // of their SADs in memory
constexpr double kPixels = 256;

struct Frames {
  size_t across, down;  // macroblocks
  std::vector<int32_t> current, reference;

  Frames(size_t a, size_t d) : across(a), down(d), current(width() * height()), reference(width() * height()) {
    host::SplitMix64 random(17);
    fill_reference(random);
    for (size_t macroblock = 0; macroblock < across * down; ++macroblock) {
      uint64_t word = random.next();
      int64_t dx = static_cast<int64_t>(word % 29) - 14, dy = static_cast<int64_t>(word / 29 % 29) - 14;
      for (size_t i = 0; i < 256; ++i) {
        size_t x = macroblock % across * 16 + i % 16, y = macroblock / across * 16 + i / 16;
        int32_t noise = static_cast<int32_t>(random.next() % 9) - 4;
        current[y * width() + x] =
            std::clamp(pixel(static_cast<int64_t>(x) + dx, static_cast<int64_t>(y) + dy) + noise, 0, 255);
      }
    }
  }

  size_t width() const { return across * 16; }
  size_t height() const { return down * 16; }
  size_t padded_pitch() const { return width() + 2 * kSearchRange; }

  /// A pixel of the reference frame; beyond its border the border's go on.
  int32_t pixel(int64_t x, int64_t y) const {
    auto column = static_cast<size_t>(std::clamp<int64_t>(x, 0, static_cast<int64_t>(width()) - 1));
    auto row = static_cast<size_t>(std::clamp<int64_t>(y, 0, static_cast<int64_t>(height()) - 1));
    return reference[row * width() + column];
  }
  std::vector<int32_t> padded_reference() const {
    std::vector<int32_t> out;
    auto margin = static_cast<int64_t>(kSearchRange);
    for (int64_t y = -margin; y < static_cast<int64_t>(height()) + margin; ++y)
      for (int64_t x = -margin; x < static_cast<int64_t>(width()) + margin; ++x) out.push_back(pixel(x, y));
    return out;
  }
  /// The frame in the kernel's order: the 4 x 4 blocks of a macroblock one after the other.
  std::vector<uint8_t> current_blocks() const {
    std::vector<uint8_t> out;
    for (size_t i = 0; i < current.size(); ++i) {
      size_t macroblock = i / 256, block = i / 16 % 16, in_block = i % 16;
      size_t x = macroblock % across * 16 + block % 4 * 4 + in_block % 4;
      size_t y = macroblock / across * 16 + block / 4 * 4 + in_block / 4;
      out.push_back(static_cast<uint8_t>(current[y * width() + x]));
    }
    return out;
  }

 private:
  /// Seeded values at every eighth pixel, and between them the plane mean of four.
  void fill_reference(host::SplitMix64& random) {
    size_t points = width() / 8 + 1;
    std::vector<int32_t> grid(points * (height() / 8 + 1));
    for (int32_t& value : grid) value = static_cast<int32_t>(random.next() & 255);
    for (size_t i = 0; i < reference.size(); ++i) {
      size_t x = i % width(), y = i / width(), at = y / 8 * points + x / 8;
      auto fx = static_cast<int32_t>(x % 8), fy = static_cast<int32_t>(y % 8);
      int32_t above = grid[at] * (8 - fx) + grid[at + 1] * fx;
      int32_t below = grid[at + points] * (8 - fx) + grid[at + points + 1] * fx;
      reference[i] = (above * (8 - fy) + below * fy) / 64;
    }
  }
};

/// Into `sads` those of one macroblock of padded frames.
template <class Pixels, class Sads>
void find_sads_of(const Frames& frames, size_t macroblock, const Pixels& current, const Pixels& padded, Sads& sads) {
  size_t x = macroblock % frames.across * 16, y = macroblock / frames.across * 16;
  find_sads(current, y * frames.width() + x, frames.width(), padded, y * frames.padded_pitch() + x,
            frames.padded_pitch(), sads);
}

class MotionSearch {
 public:
  explicit MotionSearch(host::WorkloadContext& context)
      : context_(context),
        device_(context.device),
        frames_(static_cast<size_t>(context["across"]), static_cast<size_t>(context["down"])),
        macroblocks_(frames_.across * frames_.down),
        module_(device_.load_module_file(context.directory + "/h264.ptx")) {}

  void run(const std::string& variant) {
    bool all = variant == "sads";
    std::vector<uint8_t> pixels(frames_.reference.begin(), frames_.reference.end());
    host::Buffer current = device_.allocate<uint8_t>(pixels.size(), "current");
    host::Buffer reference = device_.allocate<uint8_t>(pixels.size(), "reference");
    std::vector<uint16_t> sads(all ? macroblocks_ * kSteps * kPitch : 0);
    std::vector<uint32_t> best(all ? 0 : macroblocks_ * kMotionPartitions);
    host::Buffer result = device_.allocate<uint16_t>(sads.size() + 2 * best.size(), "result");
    device_.copy_to(current, frames_.current_blocks(), "current");
    device_.copy_to(reference, pixels, "reference");
    sim::Texture texture;
    texture.name = "reference";
    texture.base = reference.address;
    texture.size = {static_cast<uint32_t>(frames_.width()), static_cast<uint32_t>(frames_.height()), 1};
    texture.channel = ptx::Type::U8;
    host::LaunchOptions options;
    options.registers_per_thread = kRegisters;
    host::Argument source = variant == "global" ? host::Argument(reference) : device_.make_texture(texture);
    const auto& launch = device_.launch(
        module_, "search_" + variant, {static_cast<uint32_t>(frames_.across), static_cast<uint32_t>(frames_.down)},
        {static_cast<uint32_t>(kMotionPartitions), kGroups}, {current, source, result}, options);
    if (launch.timed) {
      double differences = static_cast<double>(macroblocks_ * kSearchPlaces) * kPixels;
      device_.add_figure({variant + "_differences", differences / launch.time_us / 1e3, "G/s", "of two pixels"});
    }
    if (all) device_.copy_from(sads, result, "sads");
    else device_.copy_from(best, result, "best");
    if (context_.check) check(variant, sads, best);
  }

 private:
  void check(const std::string& variant, const std::vector<uint16_t>& all, const std::vector<uint32_t>& best) {
    host::Comparison comparison((all.empty() ? "best (" : "sads (") + variant + ")", ptx::Type::U32, {});
    std::vector<int32_t> padded = frames_.padded_reference(), sads(kMotionPartitions * kSearchPlaces);
    for (size_t macroblock = 0; macroblock < macroblocks_; ++macroblock) {
      find_sads_of(frames_, macroblock, frames_.current, padded, sads);
      for (size_t partition = 0; partition < kMotionPartitions; ++partition) {
        auto where = [&] { return fmt::format("macroblock {}, partition {}", macroblock, partition); };
        if (all.empty()) {
          size_t place = find_best(sads, partition);
          auto least = static_cast<uint32_t>(sads[partition * kSearchPlaces + place]);
          comparison.element(best[macroblock * kMotionPartitions + partition],
                             least << 16 | static_cast<uint32_t>(place), where);
          continue;
        }
        for (size_t place = 0; place < kSearchPlaces; ++place) {
          size_t step = place / (kRows * kSearchSide), in_step = place % (kRows * kSearchSide);
          comparison.element(all[(macroblock * kSteps + step) * kPitch + partition * kRows * kSearchSide + in_step],
                             static_cast<uint32_t>(sads[partition * kSearchPlaces + place]), where);
        }
      }
    }
    context_.checks.push_back(comparison.result());
  }

  host::WorkloadContext& context_;
  host::Device& device_;
  Frames frames_;
  size_t macroblocks_;
  host::ModuleRef module_;
};

/// Without a variant: the one with all that is published.
void run(host::WorkloadContext& context) {
  MotionSearch(context).run(context.variant.empty() ? "texture" : context.variant);
}

/// A macroblock, after one that is not counted.
void run_on_cpu(cpu::CpuContext& context) {
  Frames frames(static_cast<size_t>(context["across"]), static_cast<size_t>(context["down"]));
  cpu::CountedArray<int32_t> current(frames.current), padded(frames.padded_reference()),
      sads(kMotionPartitions * kSearchPlaces);
  size_t last = frames.across * frames.down - 1;
  for (size_t macroblock : {last - std::min<size_t>(last, 1), last}) {
    context.core.restart();
    find_sads_of(frames, macroblock, current, padded, sads);
    for (size_t partition = 0; partition < kMotionPartitions; ++partition) find_best(sads, partition);
  }
  context.scale = static_cast<double>(last + 1);
  context.part = fmt::format("one of {} macroblocks", last + 1);
}

const bool kRegistered = host::register_workload({
    .name = "h264",
    .summary = "motion estimation by full search: SADs of 41 partitions, the reference frame in a texture",
    .variants = {"texture", "sads", "global", "unrolled", "rolled"},
    .parameters =
        {{.name = "across", .default_value = 11, .low = 1, .high = 128, .choices = {}, .what = "macroblocks in a row"},
         {.name = "down", .default_value = 9, .low = 1, .high = 128, .choices = {}, .what = "rows of macroblocks"}},
    .published = {{"texture", "registers per thread", kRegisters, "", "Ryoo et al. 2008, table 3", "geforce-8800-gtx"}},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
