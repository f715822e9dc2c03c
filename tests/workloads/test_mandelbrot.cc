// The Mandelbrot workload: its arithmetic is counted in the right counter, its picture is the set, and its time behaves
// as Lyman 2014, chapter 3, measured on a Jetson TK1 and a GeForce GTX 480.
#include <png.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "workloads/workload_run.h"

namespace warptime {

namespace {

uint64_t cycles(const std::string& machine, uint32_t blocks, uint32_t threads) {
  host::RunReport report =
      run({"mandelbrot", "f64", {"size=64", "blocks=" + std::to_string(blocks), "threads=" + std::to_string(threads)}},
          {}, machine);
  return report.launches.front().cycles;
}

/// 0x00RRGGBB pixels of a PNG file.
std::vector<uint32_t> read_png(const std::string& file, uint32_t size) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&image, file.c_str()) != 0);
  REQUIRE(image.width == size);
  REQUIRE(image.height == size);
  image.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> bytes(PNG_IMAGE_SIZE(image));
  REQUIRE(png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr) != 0);
  std::vector<uint32_t> pixels;
  for (size_t i = 0; i < bytes.size(); i += 3) pixels.push_back(bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2]);
  return pixels;
}

}  // namespace

TEST_CASE("Operations are counted by precision: 8 an iteration, 4 to place a pixel") {
  std::vector<std::string> one{"size=30", "blocks=7", "threads=32", "depth=1"};
  sim::InstructionCounts single = run({"mandelbrot", "f32", one}, {}, "tesla-c1060").launches.front().counts;
  CHECK(single.flops == 30 * 30 * (8 + 4));
  CHECK(single.flops_f64 == 0);
  sim::InstructionCounts twice = run({"mandelbrot", "f64", one}, {}, "tesla-c1060").launches.front().counts;
  CHECK(twice.flops == 0);
  CHECK(twice.flops_f64 == 30 * 30 * (8 + 4));
}

TEST_CASE("Without a variant a machine runs the precisions that it has") {
  std::vector<std::string> small{"size=8", "depth=4"};
  CHECK(run({"mandelbrot", "", small}).launches.size() == 1);
  CHECK(run({"mandelbrot", "", small}, {}, "tesla-c1060").launches.size() == 2);
  CHECK_THROWS_WITH(run({"mandelbrot", "f64", small}),
                    Catch::Contains("mandelbrot.ptx:") && Catch::Contains("needs a machine with the feature f64"));
}

TEST_CASE("map_f64_to_f32: the f64 kernel runs where there is no double precision, in f32 and at its cost") {
  std::vector<std::string> small{"size=30", "blocks=7", "threads=32", "depth=20"};
  host::RunReport mapped;
  {
    const host::Workload* workload = host::find_workload("mandelbrot");
    REQUIRE(workload != nullptr);
    host::Device device(shipped_machine("geforce-8800-gtx", {"map_f64_to_f32=true"}), {});
    mapped.checks = host::run_workload(
        device, *workload,
        {.variant = "f64", .parameters = small, .directory = WARPTIME_SOURCE_DIR "/workloads/mandelbrot"});
    mapped.launches = device.launches();
  }
  REQUIRE(mapped.checks.size() == 1);
  CHECK(mapped.checks.front().ok);
  sim::InstructionCounts single = run({"mandelbrot", "f32", small}).launches.front().counts;
  // Instruction by instruction the same kernel; of a G80's own there are more, as a .f64 keeps 8 bytes in memory.
  CHECK(mapped.launches.front().counts.native_warp_instructions > single.native_warp_instructions);
  single.native_warp_instructions = mapped.launches.front().counts.native_warp_instructions;
  CHECK(mapped.launches.front().counts == single);
  CHECK(mapped.launches.front().pipes.dp == 0);
}

TEST_CASE("The picture is the set: 0 and -1 are in it, the corner -2 - 1.5i is not") {
  const host::Workload* workload = host::find_workload("mandelbrot");
  REQUIRE(workload != nullptr);
  std::string file =
      std::filesystem::temp_directory_path() / ("warptime-" + std::to_string(getpid()) + "-mandelbrot.png");
  host::Device device(shipped_machine("generic"), {.functional = true});
  host::run_workload(device, *workload,
                     {.variant = "f32",
                      .parameters = {"size=96"},
                      .outputs = {"image=" + file},
                      .directory = WARPTIME_SOURCE_DIR "/workloads/mandelbrot"});
  std::vector<uint32_t> pixels = read_png(file, 96);
  std::filesystem::remove(file);
  // A pixel is 1/32 wide, x from -2, y from -1.5.
  CHECK(pixels[48 * 96 + 64] == 0);
  CHECK(pixels[48 * 96 + 32] == 0);
  CHECK(pixels[0] != 0);
}

TEST_CASE("A TK1 pays for a warp that one thread begins, and for blocks of one thread (Lyman 2014, 3.1)") {
  CHECK(cycles("jetson-tk1", 16, 33) > cycles("jetson-tk1", 16, 32));
  CHECK(cycles("jetson-tk1", 16, 65) > cycles("jetson-tk1", 16, 64));
  CHECK(cycles("jetson-tk1", 256, 1) > 4 * cycles("jetson-tk1", 1, 256));
}

TEST_CASE("On a GTX 480 one block of many threads and many blocks of one take about as long (Lyman 2014, 3.2)") {
  double ratio =
      static_cast<double>(cycles("geforce-gtx-480", 256, 1)) / static_cast<double>(cycles("geforce-gtx-480", 1, 256));
  CHECK(ratio > 0.75);
  CHECK(ratio < 1.33);
}

}  // namespace warptime
