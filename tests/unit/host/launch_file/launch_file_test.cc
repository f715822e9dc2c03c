#include "host/launch_file/launch_file.h"

#include <bit>

#include "host/device/typed_value.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

/// A folder with a module and a launch file.
struct LaunchFileExample {
  TemporaryFolder folder;
  LaunchFileExample() { folder.write("k.ptx", ".version 1.0\n.target sm_10\n"); }

  LaunchPlan load(const std::string& text) { return load_launch_file(folder.write("run.yaml", text)); }
  /// The error without the folder's name.
  std::string error(const std::string& text) {
    std::string message = input_error([&] { load(text); });
    std::string prefix = folder / "";
    for (size_t at; (at = message.find(prefix)) != std::string::npos;) message.erase(at, prefix.size());
    return message;
  }
};

const std::string kLaunch = "launches:\n  - {kernel: k, grid: [1], block: [32], args: []}\n";

/// A file with these buffers and one launch.
std::string with_buffers(const std::string& buffers) { return "module: k.ptx\nbuffers:\n" + buffers + kLaunch; }

std::vector<double> values_of(const TypedData& data) {
  std::vector<std::byte> bytes = materialise(data);
  std::vector<double> values;
  for (uint64_t i = 0; i < data.count; ++i)
    values.push_back(decode_value(data.type, load_element(data.type, bytes, i)));
  return values;
}

}  // namespace

TEST_CASE("A launch file with everything in it") {
  LaunchFileExample example;
  example.folder.write("input.bin", "\x01\x02\x03");
  example.folder.write("expected.bin", std::string(16, '\0'));
  LaunchPlan plan = example.load(R"(
module: k.ptx
buffers:
  x: {type: f32, count: 4, init: {iota: {start: 1, step: 0.5}}}
  k: {type: u32, values: [1, 0xff, 3]}
  b: {type: u8, file: input.bin, align: 512}
  z: {type: f32, count: 4}
constants:
  table: {type: f32, values: [0.5, 0.25]}
launches:
  - copy: {to: x, bytes: 12}
  - kernel: saxpy
    grid: [4, 2]
    block: [256]
    shared_bytes: 64
    registers_per_thread: 7
    args: [{u32: 5}, {f32: -2.0}, x, {address: z, offset: 8}, {bytes: "00ffA0"}]
    repeat: 3
  - copy: {from: z}
outputs:
  z: z.bin
expect:
  z: {file: expected.bin, max_abs_error: 0.5, max_ulp: 2}
)");
  REQUIRE(plan.buffers.size() == 4);
  CHECK(values_of(plan.buffers[0]) == std::vector<double>{1, 1.5, 2, 2.5});
  CHECK(values_of(plan.buffers[1]) == std::vector<double>{1, 255, 3});
  CHECK(values_of(plan.buffers[2]) == std::vector<double>{1, 2, 3});
  CHECK(plan.buffers[2].alignment == 512);
  CHECK(values_of(plan.buffers[3]) == std::vector<double>{0, 0, 0, 0});
  REQUIRE(plan.constants.size() == 1);
  CHECK(values_of(plan.constants[0]) == std::vector<double>{0.5, 0.25});

  REQUIRE(plan.steps.size() == 3);
  const auto& to = std::get<PlannedCopy>(plan.steps[0]);
  CHECK(to.direction == TimelineEvent::Direction::HostToDevice);
  CHECK(to.bytes == 12);
  const auto& from = std::get<PlannedCopy>(plan.steps[2]);
  CHECK(from.direction == TimelineEvent::Direction::DeviceToHost);
  CHECK(from.bytes == 16);

  const auto& launch = std::get<PlannedLaunch>(plan.steps[1]);
  CHECK(launch.kernel == "saxpy");
  CHECK(launch.grid.x == 4);
  CHECK(launch.grid.y == 2);
  CHECK(launch.grid.z == 1);
  CHECK(launch.block.x == 256);
  CHECK(launch.options.dynamic_shared_bytes == 64);
  CHECK(launch.options.registers_per_thread == 7);
  CHECK(launch.repeat == 3);
  REQUIRE(launch.arguments.size() == 5);
  CHECK(launch.arguments[0].argument.bits == 5);
  CHECK(launch.arguments[1].argument.bits == std::bit_cast<uint32_t>(-2.0f));
  CHECK(launch.arguments[2].buffer == size_t{0});
  CHECK(launch.arguments[3].buffer == size_t{3});
  CHECK(launch.arguments[3].offset == 8);
  CHECK(launch.arguments[4].argument.bytes == std::vector<std::byte>{std::byte{0}, std::byte{0xff}, std::byte{0xa0}});

  REQUIRE(plan.outputs.size() == 1);
  CHECK(plan.outputs[0].path == example.folder / "z.bin");
  REQUIRE(plan.expectations.size() == 1);
  CHECK(plan.expectations[0].buffer == 3);
  CHECK(plan.expectations[0].tolerance.max_abs_error == 0.5);
  CHECK(plan.expectations[0].tolerance.max_ulp == 2);
}

TEST_CASE("Random buffers repeat with their seed and stay in their range") {
  LaunchFileExample example;
  LaunchPlan plan =
      example.load(with_buffers("  a: {type: f32, count: 100, init: {random: {seed: 5, min: -1, max: 1}}}\n"
                                "  b: {type: f32, count: 100, init: {random: {seed: 5, min: -1, max: 1}}}\n"
                                "  c: {type: f32, count: 100, init: {random: {seed: 6, min: -1, max: 1}}}\n"
                                "  d: {type: s8, count: 100, init: {random: {seed: 1, min: -2, max: 2}}}\n"));
  CHECK(values_of(plan.buffers[0]) == values_of(plan.buffers[1]));
  CHECK(values_of(plan.buffers[0]) != values_of(plan.buffers[2]));
  std::vector<int> seen(5);
  for (double v : values_of(plan.buffers[3])) {
    REQUIRE(std::abs(v) <= 2);
    ++seen[static_cast<size_t>(v + 2)];
  }
  for (int count : seen) CHECK(count > 0);
}

TEST_CASE("Integer ramps wrap at the width of their type") {
  LaunchFileExample example;
  LaunchPlan plan = example.load(with_buffers("  a: {type: u8, count: 3, init: {iota: {start: 254}}}\n"));
  CHECK(values_of(plan.buffers[0]) == std::vector<double>{254, 255, 0});
}

TEST_CASE("Unknown keys name the nearest one, at their place") {
  LaunchFileExample example;
  // A required key is missing where it is misspelled: that is said, and only that.
  CHECK(example.error("modul: k.ptx\n" + kLaunch) ==
        "run.yaml:1:1: error: unknown key \"modul\" in a launch file\n"
        "     1 | modul: k.ptx\n"
        "       | ^~~~~\n"
        "         hint: did you mean \"module\"?\n");
  const std::string both = example.error("modul: k.ptx\nmodules: k.ptx\n" + kLaunch);
  CHECK(both.find("unknown key \"modul\"") != std::string::npos);
  CHECK(both.find("unknown key \"modules\"") != std::string::npos);
  CHECK(both.find("has no \"module\"") == std::string::npos);
  CHECK(example.error("module: k.ptx\nlaunches:\n  - {kernel: k, grid: [1], blck: [32]}\n")
            .find("run.yaml:3:28: error: unknown key \"blck\" in a launch\n"
                  "     3 |   - {kernel: k, grid: [1], blck: [32]}\n"
                  "       |                            ^~~~\n"
                  "         hint: did you mean \"block\"?\n") != std::string::npos);
  CHECK(example.error(with_buffers("  x: {type: f32, cout: 4}\n")).find("did you mean \"count\"?") !=
        std::string::npos);
}

TEST_CASE("What is missing is named") {
  LaunchFileExample example;
  CHECK(example.error(kLaunch).find("a launch file has no \"module\"") != std::string::npos);
  CHECK(example.error("module: k.ptx\n").find("a launch file has no \"launches\"") != std::string::npos);
  CHECK(example.error("module: nothing.ptx\n" + kLaunch)
            .find("run.yaml:1:9: error: cannot read \"nothing.ptx\": No such file") != std::string::npos);
  CHECK(example.error(with_buffers("  x: {count: 4}\n")).find("buffer \"x\" has no \"type\"") != std::string::npos);
  CHECK(example.error(with_buffers("  x: {type: f32}\n")).find("buffer \"x\" has no \"count\"") != std::string::npos);
  CHECK(example.error("module: k.ptx\nlaunches: []\n").find("an empty one") != std::string::npos);
  CHECK(input_error([&] { load_launch_file(example.folder / "none.yaml"); }).find("cannot read") != std::string::npos);
}

TEST_CASE("Values that are none of their type") {
  LaunchFileExample example;
  CHECK(example.error(with_buffers("  x: {type: u8, values: [1, 300]}\n")) ==
        "run.yaml:3:29: error: a value must be an u8, not \"300\": out of the range of u8: 0 to 255\n"
        "     3 |   x: {type: u8, values: [1, 300]}\n"
        "       |                             ^~~\n");
  CHECK(example.error(with_buffers("  x: {type: f33, count: 4}\n")).find("did you mean \"f32\"?") != std::string::npos);
  CHECK(example.error(with_buffers("  x: {type: f32, count: 0}\n")).find("\"count\" must be") != std::string::npos);
  CHECK(
      example.error(with_buffers("  x: {type: f32, count: 4, align: 3}\n")).find("\"align\" must be a power of two") !=
      std::string::npos);
  CHECK(example.error(with_buffers("  x: {type: f32, count: 3, values: [1, 2]}\n"))
            .find("\"count\" is 3, but 2 values are given") != std::string::npos);
  CHECK(example.error(with_buffers("  x: {type: f32, count: 2, values: [1, 2], init: zeros}\n"))
            .find("more than one of values, init and file") != std::string::npos);
  CHECK(example.error(with_buffers("  x: {type: u8, count: 2, init: {random: {min: 3, max: 2}}}\n"))
            .find("min above its max") != std::string::npos);
  CHECK(example.error(with_buffers("  x: {type: u8, count: 2, init: {random: {min: 3}}}\n"))
            .find("only one of min and max") != std::string::npos);
}

TEST_CASE("Files of the wrong size") {
  LaunchFileExample example;
  example.folder.write("three", "abc");
  CHECK(example.error(with_buffers("  x: {type: f32, file: three}\n"))
            .find("3 bytes are not a whole number of f32 values") != std::string::npos);
  CHECK(example.error(with_buffers("  x: {type: u8, file: three, count: 4}\n")).find("3 values are given") !=
        std::string::npos);
  CHECK(example.error(with_buffers("  x: {type: u8, count: 4}\n") + "expect:\n  x: {file: three}\n")
            .find("buffer \"x\" has 4 bytes, but 3 are expected") != std::string::npos);
}

TEST_CASE("Grids, blocks and arguments") {
  LaunchFileExample example;
  auto launch = [&](const std::string& rest) {
    return example.error("module: k.ptx\nbuffers:\n  x: {type: f32, count: 4}\nlaunches:\n  - {kernel: k, " + rest +
                         "}\n");
  };
  CHECK(launch("grid: [1, 2, 3, 4], block: [1]").find("\"grid\" must be a list of 1 to 3 numbers") !=
        std::string::npos);
  CHECK(launch("grid: [0], block: [1]").find("\"grid\" must be 1 to") != std::string::npos);
  CHECK(launch("grid: [-1], block: [1]").find("\"grid\" must be a whole number") != std::string::npos);
  CHECK(launch("grid: [1], block: [1], args: [y]").find("there is no buffer \"y\"") != std::string::npos);
  CHECK(launch("grid: [1], block: [1], args: [5]").find("a number needs its type: {u32: 5}") != std::string::npos);
  CHECK(launch("grid: [1], block: [1], args: [{u33: 5}]").find("did you mean \"u32\"?") != std::string::npos);
  CHECK(launch("grid: [1], block: [1], args: [{u32: five}]").find("not a whole number") != std::string::npos);
  CHECK(launch("grid: [1], block: [1], args: [{u32: 5, f32: 1}]").find("one type and one value") != std::string::npos);
  CHECK(launch("grid: [1], block: [1], args: [{bytes: \"0g\"}]").find("two a byte") != std::string::npos);
  CHECK(launch("grid: [1], block: [1], args: [{address: x, offset: 17}]").find("\"offset\" must be 0 to 16") !=
        std::string::npos);
  CHECK(launch("grid: [1], block: [1], repeat: 0").find("\"repeat\" must be") != std::string::npos);
}

TEST_CASE("Copies name one direction, a buffer and no more bytes than it has") {
  LaunchFileExample example;
  auto copy = [&](const std::string& rest) {
    return example.error("module: k.ptx\nbuffers:\n  x: {type: f32, count: 4}\nlaunches:\n  - copy: {" + rest + "}\n");
  };
  CHECK(copy("to: x, from: x").find("must say one of") != std::string::npos);
  CHECK(copy("bytes: 4").find("must say one of") != std::string::npos);
  CHECK(copy("to: y").find("there is no buffer \"y\"") != std::string::npos);
  CHECK(copy("to: x, bytes: 17").find("\"bytes\" must be 0 to 16") != std::string::npos);
}

TEST_CASE("A tensor map of a launch file") {
  LaunchFileExample example;
  auto with_map = [](const std::string& keys) {
    return "module: k.ptx\nbuffers:\n  a: {type: f16, count: 32768}\nlaunches:\n"
           "  - {kernel: k, grid: [1], block: [32], args: [{tensor_map: {buffer: a, type: f16, " +
           keys + "}}]}\n";
  };
  const auto map_of = [&](const std::string& keys) {
    return *std::get<PlannedLaunch>(example.load(with_map(keys)).steps[0]).arguments[0].tensor_map;
  };
  const sim::TensorMap tile =
      map_of("dims: [100, 64], pitch_bytes: 208, box: [64, 16], swizzle: 128B, oob_fill: nan, element_strides: [1, 2]");
  CHECK(tile.rank == 2);
  CHECK(tile.type == sim::TensorMap::Type::F16);
  CHECK(tile.strides[0] == 208);
  CHECK(tile.dims == std::array<uint64_t, 5>{100, 64, 1, 1, 1});
  CHECK(tile.box[1] == 16);
  CHECK(tile.element_strides[1] == 2);
  CHECK(tile.swizzle == sim::TensorMap::Swizzle::Bytes128);
  CHECK(tile.fills_nan);
  CHECK(map_of("dims: [64, 8, 4], box: [8, 8, 4]").strides == std::array<uint64_t, 4>{128, 1024, 0, 0});
  CHECK(map_of("dims: [64, 8, 4], pitch_bytes: [256, 4096], box: [8, 8, 4]").strides[1] == 4096);
  const sim::TensorMap im2col =
      map_of("dims: [16, 9, 8, 2], im2col: {channels: 8, pixels: 20, lower: [-1, -2], upper: [0, -1]}");
  CHECK(im2col.is_im2col);
  CHECK(im2col.pixels == 20);
  CHECK(im2col.lower[1] == -2);
  CHECK(im2col.upper[1] == -1);

  auto message = [&](const std::string& keys) { return example.error(with_map(keys)); };
  CHECK_THAT(message("dims: [100, 64], pitch_bytes: 204, box: [64, 16]"),
             Catch::Contains("each stride is a multiple of 16"));
  CHECK_THAT(message("dims: [100, 64], pitch_bytes: 208, box: [128, 16], swizzle: 128B"),
             Catch::Contains("more bytes along the first dimension than the swizzle"));
  CHECK_THAT(message("dims: [128, 512], box: [64, 16]"),
             Catch::Contains("the tensor has 131072 bytes, buffer \"a\" has 65536"));
  CHECK_THAT(message("dims: [128, 64], box: [64]"), Catch::Contains("\"box\" must be a list of 2 numbers"));
  CHECK_THAT(message("dims: [128, 64]"), Catch::Contains("box"));
  CHECK_THAT(message("dims: [1, 1, 1, 1, 1, 1], box: [64]"), Catch::Contains("dims"));
  CHECK_THAT(message("dims: [128, 64], im2col: {channels: 8, pixels: 2, lower: [0]}"),
             Catch::Contains("of at least three"));
  CHECK_THAT(message("dims: [128, 64], box: [64, 1], swizzle: 256B"), Catch::Contains("swizzle"));
  CHECK_THAT(
      example.error("module: k.ptx\nbuffers:\n  a: {type: f16, count: 64}\nlaunches:\n  - {kernel: k, grid: [1], "
                    "block: [32], args: [{tensor_map: {buffer: b, type: f16, dims: [64], box: [8]}}]}\n"),
      Catch::Contains("run.yaml:5:") && Catch::Contains("\"b\""));
}

TEST_CASE("A texture of a launch file") {
  LaunchFileExample example;
  LaunchPlan plan = example.load(R"(module: k.ptx
buffers:
  x: {type: u8, count: 4096}
textures:
  small: {buffer: x, type: f32, width: 64}
  tex0: {buffer: x, type: u8, channels: 4, width: 32, height: 16, depth: 2, address: mirror, filter: linear,
         normalized: true, read: normalized}
launches:
  - {kernel: k, grid: [1], block: [32], args: [{texture: tex0}]}
)");
  REQUIRE(plan.textures.size() == 2);
  CHECK_FALSE(plan.textures[0].texture.tiled);  // linear memory
  CHECK(plan.textures[0].texture.size == std::array<uint32_t, 3>{64, 1, 1});
  CHECK(plan.textures[0].texture.address[0] == sim::AddressMode::Clamp);
  CHECK(plan.textures[0].texture.filter == sim::FilterMode::Point);
  const sim::Texture& t = plan.textures[1].texture;
  CHECK(t.tiled);
  CHECK(t.size == std::array<uint32_t, 3>{32, 16, 2});
  CHECK(t.channel == ptx::Type::U8);
  CHECK(t.channels == 4);
  CHECK(t.address[2] == sim::AddressMode::Mirror);
  CHECK(t.filter == sim::FilterMode::Linear);
  CHECK(t.read == sim::ReadMode::Normalized);
  CHECK(t.normalized_coordinates);
  CHECK(std::get<PlannedLaunch>(plan.steps[0]).arguments[0].texture == 1);
}

TEST_CASE("Textures that cannot be") {
  LaunchFileExample example;
  auto error = [&](const std::string& texture, const std::string& arguments = "[]") {
    return example.error("module: k.ptx\nbuffers:\n  x: {type: f32, count: 16}\ntextures:\n  t: {" + texture +
                         "}\nlaunches:\n  - {kernel: k, grid: [1], block: [32], args: " + arguments + "}\n");
  };
  CHECK(error("buffer: x").find("texture \"t\" has no \"type\"") != std::string::npos);
  CHECK(error("buffer: y, type: f32, width: 4").find("there is no buffer \"y\"") != std::string::npos);
  for (const char* mode : {"wrap", "mirror"}) {
    std::string text = error(fmt::format("buffer: x, type: f32, width: 4, address: {}", mode));
    CHECK(text.find(fmt::format("5:48: error: texture \"t\" is read with coordinates in texels, and \"{}\" needs",
                                mode)) != std::string::npos);
    CHECK(text.find("hint: normalized: true") != std::string::npos);
  }
  CHECK(error("buffer: x, type: f32, width: 17").find("needs 68 bytes, buffer \"x\" has 64") != std::string::npos);
  CHECK(error("buffer: x, type: f32, width: 0").find("\"width\" must be 1 to 134217728, not 0") != std::string::npos);
  CHECK(error("buffer: x, type: f64, width: 4").find("has channels of f64; they are u8,") != std::string::npos);
  CHECK(error("buffer: x, type: f32, channels: 3, width: 4").find("textures have 1, 2 or 4") != std::string::npos);
  CHECK(error("buffer: x, type: u32, width: 4, filter: linear").find("cannot filter channels of u32") !=
        std::string::npos);
  CHECK(error("buffer: x, type: f32, width: 4, read: normalized").find("cannot normalise channels of f32") !=
        std::string::npos);
  CHECK(error("buffer: x, type: f32, width: 4, address: clmp").find("did you mean \"clamp\"?") != std::string::npos);
  CHECK(error("buffer: x, type: f32, width: 4", "[{texture: u}]").find("there is no texture \"u\"") !=
        std::string::npos);
}

TEST_CASE("A broken buffer is reported once, not again where it is used") {
  LaunchFileExample example;
  std::string error = example.error(
      "module: k.ptx\nbuffers:\n  x: {type: f33, count: 4}\nlaunches:\n  - {kernel: k, grid: [1], block: [1], args: "
      "[x]}\noutputs:\n  x: x.bin\n");
  CHECK(error.find("errors") == std::string::npos);  // "N errors" is only there for several
  CHECK(error.find("no buffer") == std::string::npos);
}

TEST_CASE("Loops that cannot be") {
  LaunchFileExample example;
  auto [launches, message] = GENERATE(table<std::string, std::string>({
      {"{repeat: 2, launches: []}", "\"launches\" must be a list with at least one launch, not an empty one"},
      {"{repeat: 2, launches: k}", "\"launches\" must be a list with at least one launch, not \"k\""},
      {"{repeat: 0, launches: [{kernel: k, grid: [1], block: [1]}]}", "\"repeat\" must be 1 to 1000000000, not 0"},
      {"{launches: [{kernel: k, grid: [1], block: [1]}]}", "must say one of \"repeat\" and \"until\""},
      {"{repeat: 2, index: 3k, launches: [{kernel: k, grid: [1], block: [1]}]}", "\"3k\" cannot be an index"},
      {"{repeat: 2, index: k, launches: [{repeat: 2, index: k, launches: [{kernel: k, grid: [1], block: [1]}]}]}",
       "is a parameter or the index of an outer loop"},
      {"{repeat: 200000, index: k, launches: [{kernel: k, grid: [1], block: [1]}]}",
       "at most 100000 rounds, not 200000"},
      {"{repeat: 2, index: k, launches: [{kernel: k, grid: [kk], block: [1]}]}", "did you mean \"k\"?"},
      {"{until: {buffer: b, equals: 0, at_most: 9}, launches: [{kernel: k, grid: [1], block: [1]}]}",
       "there is no buffer \"b\""},
      {"{until: {equals: 0, at_most: 9}, launches: [{kernel: k, grid: [1], block: [1]}]}", "has no \"buffer\""},
      {"{until: {buffer: b, equals: 0, below: 1, at_most: 9}, launches: [{kernel: k, grid: [1], block: [1]}]}",
       "equals"},
      {"{memset: {value: 1}}", "has no \"buffer\""},
      {"{until: {buffer: b, at_most: 9}, launches: [{kernel: k, grid: [1], block: [1]}]}", "equals"},
      {"{until: 3, launches: [{kernel: k, grid: [1], block: [1]}]}", "\"until\""},
      {"{memset: 3}", "\"memset\""},
      {"{memset: {buffer: b, value: 256}}", "\"value\" must be 0 to 255, not 256"},
      {"{repeat: 2, kernel: k, launches: [{kernel: k, grid: [1], block: [1]}]}", "unknown key \"kernel\" in a loop"},
  }));
  CAPTURE(launches);
  CHECK_THAT(example.error("module: k.ptx\nlaunches:\n  - " + launches + "\n"), Catch::Matchers::Contains(message));
}

}  // namespace warptime::host
