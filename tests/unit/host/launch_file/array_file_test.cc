// .npy files as NumPy writes them, and what is refused; raw files are taken as they are.
#include "host/launch_file/array_file.h"

#include <catch2/catch.hpp>
#include <memory>

namespace warptime::host {

namespace {

/// A file of version 1 with this header and so many bytes after it.
std::string npy(const std::string& header, size_t bytes, char version = 1) {
  std::string out("\x93NUMPY", 6);
  out += {version, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  if (version > 1) out += std::string(2, '\0');
  return out + header + std::string(bytes, '\1');
}

std::string header(const std::string& type, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }          \n";
}

std::string reason(const std::string& text, ptx::Type type) {
  std::string why;
  CHECK_FALSE(array_in("x.npy", text, type, why));
  return why;
}

}  // namespace

TEST_CASE("A .npy file has its elements and its shape") {
  auto [type, name, size] = GENERATE(table<ptx::Type, std::string, size_t>({
      {ptx::Type::U8, "|u1", 1},
      {ptx::Type::U8, "|b1", 1},
      {ptx::Type::S8, "|i1", 1},
      {ptx::Type::B8, "|i1", 1},
      {ptx::Type::U16, "<u2", 2},
      {ptx::Type::F16, "<f2", 2},
      {ptx::Type::S32, "<i4", 4},
      {ptx::Type::F32, "<f4", 4},
      {ptx::Type::B32, "<f4", 4},
      {ptx::Type::B32, "<u4", 4},
      {ptx::Type::U64, "<u8", 8},
      {ptx::Type::F64, "<f8", 8},
  }));
  for (char version : {1, 2, 3}) {
    std::string why;
    auto array = array_in("x.npy", npy(header(name, "(3, 4)"), 12 * size, version), type, why);
    CAPTURE(why, name);
    REQUIRE(array);
    CHECK(array->shape == std::vector<uint64_t>{3, 4});
    CHECK(array->bytes == std::vector<std::byte>(12 * size, std::byte{1}));
  }
}

TEST_CASE("Shapes of one dimension and of none") {
  std::string why;
  CHECK(array_in("x.npy", npy(header("<f4", "(5,)"), 20), ptx::Type::F32, why)->shape == std::vector<uint64_t>{5});
  CHECK(array_in("x.npy", npy(header("<f4", "()"), 4), ptx::Type::F32, why)->shape.empty());
  CHECK(array_in("x.npy", npy(header("<f4", "(5L, 1L)"), 20), ptx::Type::F32, why)->shape.size() == 2);
  CHECK(array_in("x.npy", npy(header("<f4", "(5,)", "True"), 20), ptx::Type::F32, why));
}

TEST_CASE("What is written is read again") {
  std::string why;
  for (const std::vector<uint64_t>& shape : {std::vector<uint64_t>{7}, {3, 4}, {2, 3, 4}, {}}) {
    std::string text = npy_header(ptx::Type::S16, shape);
    CHECK(text.size() % 64 == 0);
    uint64_t count = 1;
    for (uint64_t size : shape) count *= size;
    auto array = array_in("x.npy", text + std::string(2 * count, 'x'), ptx::Type::S16, why);
    CAPTURE(text, why);
    REQUIRE(array);
    CHECK(array->shape == shape);
  }
}

TEST_CASE("A .npy file that cannot be taken says why") {
  using Catch::Matchers::Contains;
  const std::string good = npy(header("<f4", "(2,)"), 8);
  CHECK(array_in("x.npy", good, ptx::Type::F32, *std::make_unique<std::string>()));
  CHECK_THAT(reason(good, ptx::Type::F64), Contains("its elements are <f4, not <f8 (f64)"));
  CHECK_THAT(reason(good, ptx::Type::U32), Contains("its elements are <f4, not <u4 (u32)"));
  CHECK_THAT(reason(npy(header(">f4", "(2,)"), 8), ptx::Type::F32), Contains("it is big endian"));
  CHECK_THAT(reason(npy(header("<f4", "(1, 2)", "True"), 8), ptx::Type::F32), Contains("Fortran order"));
  CHECK_THAT(reason(npy(header("<f4", "(3,)"), 8), ptx::Type::F32),
             Contains("3 elements of 4 bytes, but 8 bytes follow"));
  CHECK_THAT(reason(npy(header("<f4", "(2,)"), 9), ptx::Type::F32), Contains("but 9 bytes follow"));
  CHECK_THAT(reason(npy(header("<f4", "(4294967296, 4294967296)"), 8), ptx::Type::F32), Contains("too many elements"));
  CHECK_THAT(reason(npy(header("|O", "(2,)"), 8), ptx::Type::F32), Contains("its elements are |O"));
  CHECK_THAT(reason(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", 8), ptx::Type::F32),
             Contains("a structure"));
  CHECK_THAT(reason(npy(header("<f4", "(2,)"), 8, 4), ptx::Type::F32), Contains("of version 4"));
  CHECK_THAT(reason("plain bytes", ptx::Type::F32), Contains("it is not a .npy file"));
  for (size_t length : {size_t{10}, size_t{11}, size_t{20}, size_t{60}})
    CHECK_THAT(reason(good.substr(0, length), ptx::Type::F32), Contains("cut off"));
  for (const char* broken : {"", "{", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': 1, 'shape': (2,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2"})
    CHECK_THAT(reason(npy(broken, 8), ptx::Type::F32), Contains("header cannot be read"));
}

TEST_CASE("Any other name is raw bytes") {
  std::string why;
  auto array = array_in("x.bin", npy(header("<f4", "(2,)"), 8), ptx::Type::F64, why);
  REQUIRE(array);
  CHECK(array->shape.empty());
  CHECK(array->bytes.size() > 8);
}

TEST_CASE("An array has at most the dimensions that NumPy reads again") {
  auto shape = [](size_t dimensions) {
    std::string out;
    for (size_t i = 0; i < dimensions; ++i) out += "1, ";
    return "(" + out + ")";
  };
  std::string why;
  auto most = array_in("x.npy", npy(header("<f4", shape(64)), 4), ptx::Type::F32, why);
  REQUIRE(most);
  CHECK(array_in("x.npy", npy_header(ptx::Type::F32, most->shape) + std::string(4, '\1'), ptx::Type::F32, why));
  CHECK(reason(npy(header("<f4", shape(65)), 4), ptx::Type::F32) ==
        "it has 65 dimensions, and NumPy arrays have at most 64");
}

}  // namespace warptime::host
