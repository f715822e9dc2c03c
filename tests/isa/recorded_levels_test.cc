// Fetches from textures with levels of detail against what an H200 returned (recorded/texture_levels.cu).
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "recorded_text.h"
#include "sim/model/texture.h"

namespace warptime {

namespace {

using recorded::Kernel;
using Words = std::vector<std::string>;

/// Texels are the number of their level, or halves from -64 to 63.5.
struct Pyramid {
  std::array<uint32_t, 3> size;
  uint32_t levels;
  bool layered = false, random = false;

  sim::Texture in(Kernel& kernel) const {
    sim::Texture texture;
    texture.size = size;
    texture.levels = levels;
    texture.is_layered = layered;
    texture.normalized_coordinates = true;
    texture.most_level = 99;
    for (uint32_t level = 0; level < levels; ++level) {
      auto texels = [&](uint32_t of) { return std::max(of >> level, 1u); };
      std::vector<float> values(size_t{texels(size[0])} * texels(size[1]) * (layered ? size[2] : texels(size[2])));
      for (uint32_t i = 0; i < values.size(); ++i)
        values[i] = random ? static_cast<float>(static_cast<int>(recorded::mixed(level * 65536 + i) % 256) - 128) * 0.5f
                           : static_cast<float>(level);
      (level == 0 ? texture.base : texture.further[level - 1]) = kernel.buffer(values).address;
    }
    return texture;
  }
};

/// Operands of each thread are at %rd0, `stride` bytes apart; the first channel goes to %rd2.
std::string fetch_kernel(const std::string& fetch, uint32_t stride, uint32_t results = 1) {
  return fmt::format(
      "mul.wide.u32 %rd4, %r0, {}; add.u64 %rd0, %rd0, %rd4; mul.wide.u32 %rd5, %r0, {}; add.u64 %rd2, %rd2, %rd5;\n"
      "mov.f32 %f1, 0.3; mov.f32 %f2, 0.4; mov.f32 %f3, 0.6; mov.f32 %f4, 1.0; mov.f32 %f5, 0.0;\n{}\n"
      "st.global.f32 [%rd2], %f20;",
      stride, results * 4, fetch);
}
std::vector<uint32_t> run_fetches(const std::string& body, const Pyramid& pyramid, const std::vector<float>& operands,
                                  uint32_t threads, const std::function<void(sim::Texture&)>& modes, bool functional) {
  Kernel kernel(body, functional);
  sim::Texture texture = pyramid.in(kernel);
  modes(texture);
  const host::Buffer in = kernel.buffer(operands), out = kernel.buffer(std::vector<uint32_t>(threads));
  constexpr uint32_t kBlock = 64;  // more threads than there are operands read zeros
  REQUIRE(threads % kBlock == 0);
  kernel.run(kBlock, in, kernel.device.make_texture(texture), out, threads / kBlock);
  return kernel.read<uint32_t>(out, threads);
}
float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t blocks_of_64(size_t count) { return static_cast<uint32_t>((count + 63) / 64 * 64); }

const Pyramid kFlat{{64, 32, 1}, 7};

/// "level LINEAR BIAS LEAST MOST", or "plain ...": between levels, or the nearest one.
std::function<void(sim::Texture&)> modes_of(const Words& line) {
  return [=](sim::Texture& texture) {
    texture.filter = sim::FilterMode::Linear;
    texture.level_filter = line[1] == "1" ? sim::FilterMode::Linear : sim::FilterMode::Point;
    texture.level_bias = std::stof(line[2]);
    texture.least_level = std::stof(line[3]);
    texture.most_level = std::stof(line[4]);
  };
}

struct GradientForm {
  Pyramid pyramid;
  const char* fetch;
};
const GradientForm& gradient_form(const std::string& geometry) {
  static const std::map<std::string, GradientForm> kForms{
      {"1d", {{{64, 1, 1}, 7}, "tex.grad.1d.v4.f32.f32 {%f20, %f21, %f22, %f23}, [%rd1, {%f1}], {%f10}, {%f12};"}},
      {"2d",
       {kFlat, "tex.grad.2d.v4.f32.f32 {%f20, %f21, %f22, %f23}, [%rd1, {%f1, %f2}], {%f10, %f11}, {%f12, %f13};"}},
      {"3d",
       {{{32, 16, 64}, 7},
        "tex.grad.3d.v4.f32.f32 {%f20, %f21, %f22, %f23}, [%rd1, {%f1, %f2, %f3, %f3}], {%f10, %f11, %f12, %f5}, "
        "{%f13, %f5, %f11, %f5};"}},
      {"cube",
       {{{32, 32, 6}, 6, true},
        "tex.grad.cube.v4.f32.f32 {%f20, %f21, %f22, %f23}, [%rd1, {%f4, %f2, %f1, %f1}], {%f10, %f11, %f12, %f5}, "
        "{%f13, %f5, %f11, %f5};"}}};
  return kForms.at(geometry);
}

}  // namespace

TEST_CASE("levels that a number names are those of a GPU", "[recorded]") {
  size_t cases = 0, plain = 0;
  for (const Words& line : recorded::lines_of("texture_levels.gz")) {
    if (line[0] == "level") {
      ++cases;
      std::vector<float> levels;
      std::vector<uint32_t> wanted;
      for (size_t i = 5; i < line.size(); ++i) {
        const size_t colon = line[i].find(':');
        levels.push_back(as_float(recorded::hex(line[i].substr(0, colon))));
        wanted.push_back(recorded::hex(line[i].substr(colon + 1)));
      }
      CHECK(levels.size() == 444);
      const uint32_t threads = blocks_of_64(levels.size());
      levels.resize(threads);
      for (bool functional : {true, false}) {
        INFO("mode " << cases << (functional ? "" : ", timed"));
        std::vector<uint32_t> found =
            run_fetches(fetch_kernel("ld.global.f32 %f10, [%rd0]; tex.level.2d.v4.f32.f32 {%f20, %f21, %f22, %f23}, "
                                     "[%rd1, {%f1, %f2}], %f10;",
                                     4),
                        kFlat, levels, threads, modes_of(line), functional);
        found.resize(wanted.size());
        CHECK(found == wanted);
      }
    } else if (line[0] == "plain") {
      ++plain;
      for (const char* word : {"", ".base"}) {
        const std::vector<uint32_t> found = run_fetches(
            fetch_kernel(fmt::format("tex{}.2d.v4.f32.f32 {{%f20, %f21, %f22, %f23}}, [%rd1, {{%f1, %f2}}];", word), 0),
            kFlat, {0}, 64, modes_of(line), true);
        CHECK(as_float(found[0]) == std::stof(line[5]));
      }
    }
  }
  CHECK(cases == 10);
  CHECK(plain == 10);
}

TEST_CASE("texels between places and levels are those of a GPU", "[recorded]") {
  // "random FILTER LEVEL_FILTER", and the results of 512 fetches with coordinates and levels that are drawn.
  size_t cases = 0;
  std::vector<float> operands;
  for (uint32_t i = 0; i < 512; ++i)
    for (uint32_t k = 0; k < 4; ++k) {
      const uint32_t bits = recorded::mixed(3 * i + k + 1);
      operands.push_back(k == 3   ? 0
                         : k == 2 ? static_cast<float>(bits % 1280) / 256
                                  : static_cast<float>(bits % 4096) / 4096);
    }
  for (const Words& line : recorded::lines_of("texture_levels.gz")) {
    if (line[0] != "random") continue;
    ++cases;
    std::vector<uint32_t> wanted;
    for (size_t i = 3; i < line.size(); ++i) wanted.push_back(recorded::hex(line[i]));
    auto modes = [&](sim::Texture& texture) {
      texture.filter = line[1] == "1" ? sim::FilterMode::Linear : sim::FilterMode::Point;
      texture.level_filter = line[2] == "1" ? sim::FilterMode::Linear : sim::FilterMode::Point;
    };
    for (bool functional : {true, false}) {
      INFO(line[1] << " " << line[2] << (functional ? "" : ", timed"));
      CHECK(run_fetches(fetch_kernel("ld.global.v4.f32 {%f10, %f11, %f12, %f13}, [%rd0];\n"
                                     "tex.level.2d.v4.f32.f32 {%f20, %f21, %f22, %f23}, [%rd1, {%f10, %f11}], %f12;",
                                     16),
                        {{16, 12, 1}, 5, false, true}, operands, 512, modes, functional) == wanted);
    }
  }
  CHECK(cases == 4);
}

TEST_CASE("levels that gradients name are within two 256ths of those of a GPU", "[recorded]") {
  // The hardware's logarithm is not known to the last place; on cubes, steps that leave a face are not either.
  static const std::map<std::string, std::pair<size_t, size_t>> kMostOff{
      {"1d", {13, 0}}, {"2d", {7, 0}}, {"3d", {7, 0}}, {"cube", {60, 15}}};
  size_t cases = 0;
  for (const Words& line : recorded::lines_of("texture_levels.gz")) {
    if (line[0] != "grad") continue;
    ++cases;
    std::vector<float> operands, wanted;
    for (size_t i = 2; i < line.size(); ++i) {
      const std::string& text = line[i];
      for (size_t at = 0; at < text.find(':'); at = text.find_first_of(",:", at) + 1)
        operands.push_back(as_float(recorded::hex(text.substr(at))));
      wanted.push_back(as_float(recorded::hex(text.substr(text.find(':') + 1))));
    }
    CHECK(wanted.size() == 400);
    const uint32_t threads = blocks_of_64(wanted.size());
    operands.resize(size_t{threads} * 4);
    const GradientForm& form = gradient_form(line[1]);
    auto modes = [](sim::Texture& texture) { texture.filter = texture.level_filter = sim::FilterMode::Linear; };
    const std::vector<uint32_t> found =
        run_fetches(fetch_kernel(std::string("ld.global.v4.f32 {%f10, %f11, %f12, %f13}, [%rd0];\n") + form.fetch, 16),
                    form.pyramid, operands, threads, modes, true);
    size_t other = 0, far_off = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const float difference = std::abs(as_float(found[i]) - wanted[i]);
      other += difference != 0 ? 1 : 0;
      far_off += difference > 2 / 256.0f ? 1 : 0;
    }
    INFO(line[1] << ": " << other << " of " << wanted.size());
    CHECK(other <= kMostOff.at(line[1]).first);
    CHECK(far_off <= kMostOff.at(line[1]).second);
  }
  CHECK(cases == 4);
}

}  // namespace warptime
