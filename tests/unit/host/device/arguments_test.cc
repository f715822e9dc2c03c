#include "host/device/arguments.h"

#include <catch2/catch.hpp>
#include <cstring>

namespace warptime::host {

using ptx::Type;

namespace {

/// saxpy(.u32 n, .f32 alpha, .u64 x) and its module; offsets as the PTX alignment rules give them.
struct ArgumentsExample {
  ptx::Module module;
  ptx::Kernel kernel;
  Diagnostics diagnostics;

  explicit ArgumentsExample(uint8_t address_bytes = 8) {
    module.address_bytes = address_bytes;
    kernel.name = "saxpy";
    add("n", Type::U32, 4);
    add("alpha", Type::F32, 4);
    add("x", address_bytes == 8 ? Type::U64 : Type::U32, address_bytes);
  }
  void add(const char* name, Type type, uint32_t size) {
    ptx::Symbol symbol;
    symbol.name = name;
    symbol.type = type;
    symbol.size = size;
    symbol.offset = kernel.parameter_bytes;
    kernel.parameters.push_back(static_cast<uint32_t>(kernel.symbols.size()));
    kernel.symbols.push_back(symbol);
    kernel.parameter_bytes += size;
  }
  std::vector<std::byte> pack(const std::vector<Argument>& arguments) {
    return pack_arguments(module, kernel, arguments, {}, diagnostics);
  }
  std::string error(const std::vector<Argument>& arguments) {
    diagnostics = {};
    pack(arguments);
    REQUIRE(diagnostics.has_errors());
    return diagnostics.to_text();
  }
};

template <class T>
T at(const std::vector<std::byte>& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Argument bytes_argument(size_t count) {
  Argument argument;
  argument.kind = Argument::Kind::Bytes;
  for (size_t i = 0; i < count; ++i) argument.bytes.push_back(static_cast<std::byte>(i + 1));
  return argument;
}

}  // namespace

TEST_CASE("Arguments go where the parameters lie") {
  ArgumentsExample example;
  auto packed = example.pack({arg_u32(7), arg_f32(2.5f), Buffer{0x10000, 64}});
  REQUIRE_FALSE(example.diagnostics.has_errors());
  REQUIRE(packed.size() == 16);
  CHECK(at<uint32_t>(packed, 0) == 7);
  CHECK(at<float>(packed, 4) == 2.5f);
  CHECK(at<uint64_t>(packed, 8) == 0x10000);
}

TEST_CASE("An address takes the width of a 32-bit module") {
  ArgumentsExample example(4);
  auto packed = example.pack({arg_u32(7), arg_f32(2.5f), Buffer{0x20000, 64}});
  REQUIRE_FALSE(example.diagnostics.has_errors());
  REQUIRE(packed.size() == 12);
  CHECK(at<uint32_t>(packed, 8) == 0x20000);
  CHECK(example.error({arg_u32(7), arg_f32(2.5f), Buffer{uint64_t{1} << 32, 4}}).find("above 4 GiB") !=
        std::string::npos);
}

TEST_CASE("A wrong number of arguments is an error that shows the parameters") {
  ArgumentsExample example;
  CHECK(example.error({arg_u32(7)}) ==
        "error: kernel \"saxpy\" takes 3 arguments, but 1 was given\n"
        "         hint: saxpy(.u32 n, .f32 alpha, .u64 x)\n");
  CHECK(example.error({arg_u32(7), arg_u32(7), arg_u32(7), arg_u32(7)}).find("but 4 were given") != std::string::npos);
}

TEST_CASE("Signedness is free, but size and float or integer are not") {
  ArgumentsExample example;
  Buffer x{0x10000, 64};
  example.pack({arg_s32(-1), arg_f32(1), x});
  CHECK_FALSE(example.diagnostics.has_errors());

  CHECK(example.error({arg_f32(7), arg_f32(2.5f), x}) ==
        "error: argument 1 of kernel \"saxpy\" is .u32, but a .f32 was given (7)\n"
        "         hint: saxpy(.u32 n, .f32 alpha, .u64 x)\n");
  CHECK(example.error({arg_u32(7), arg_u32(2), x}).find("argument 2") != std::string::npos);
  CHECK(example.error({arg_u64(7), arg_f32(2), x}).find("a .u64 was given") != std::string::npos);
  CHECK(example.error({arg_u16(7), arg_f32(2), x}).find("a .u16 was given") != std::string::npos);
  CHECK(example.error({arg_u32(7), arg_f32(2), arg_u32(5)}).find("argument 3") != std::string::npos);
}

TEST_CASE("Untyped bits stand for a float of their size") {
  ArgumentsExample example;
  Argument bits = arg_u32(0x3f800000);
  bits.type = Type::B32;
  auto packed = example.pack({arg_u32(7), bits, Buffer{0x10000, 4}});
  CHECK_FALSE(example.diagnostics.has_errors());
  CHECK(at<float>(packed, 4) == 1.0f);
}

TEST_CASE("A buffer is not a number: not for a float, not for a 32-bit parameter of a 64-bit module") {
  ArgumentsExample example;
  Buffer x{0x10000, 64};
  CHECK(example.error({x, arg_f32(2.5f), x})
            .find("argument 1 of kernel \"saxpy\" is .u32, but the address of a buffer") != std::string::npos);
  CHECK(example.error({arg_u32(7), x, x}).find("argument 2") != std::string::npos);
}

TEST_CASE("A struct takes exactly its bytes") {
  ArgumentsExample example;
  example.add("s", Type::B8, 12);
  std::vector<Argument> arguments{arg_u32(7), arg_f32(2.5f), Buffer{0x10000, 4}, bytes_argument(12)};
  auto packed = example.pack(arguments);
  REQUIRE_FALSE(example.diagnostics.has_errors());
  CHECK(at<uint8_t>(packed, 16) == 1);
  CHECK(at<uint8_t>(packed, 27) == 12);

  arguments[3] = bytes_argument(11);
  CHECK(example.error(arguments) ==
        "error: argument 4 of kernel \"saxpy\" is a struct of 12 bytes, but 11 bytes were given\n"
        "         hint: saxpy(.u32 n, .f32 alpha, .u64 x, .b8 s[12])\n");
}

TEST_CASE("Every wrong argument is reported, at its place") {
  ArgumentsExample example;
  SourceText text("--arg", "f32=1");
  Argument wrong = arg_f32(1);
  wrong.where = {&text, 0, 5};
  std::string error = example.error({wrong, arg_u32(3), Buffer{0x10000, 4}});
  CHECK(error.find("--arg:1:1: error: argument 1") != std::string::npos);
  CHECK(error.find("argument 2") != std::string::npos);
  CHECK(error.find("2 errors") != std::string::npos);
}

}  // namespace warptime::host
