// What a launch prints: order, and what remains when the buffer is full.
#include "sim/runtime/printf_buffer.h"

#include <bit>
#include <catch2/catch.hpp>

namespace warptime::sim {

namespace {

constexpr uint64_t kBytes = 16 + 8;  // of a record with one argument

void print(PrintfBuffer& buffer, uint64_t block, uint64_t value, Cycle cycle = 0) {
  buffer.add(block, cycle, buffer.format("%d ", 8), {{value, "", false}});
}

std::string text_of(std::vector<PrintfBuffer*> buffers, Cycle last = kNever) {
  std::string out;
  PrintfBuffer::print(buffers, last, [&out](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace

TEST_CASE("records are printed by block, whichever SM has it, and by call in a block") {
  PrintfBuffer a(1000), b(1000);
  print(b, 1, 10);
  print(a, 2, 20);
  print(a, 0, 1);
  print(a, 2, 21);
  print(b, 3, 30);
  print(a, 0, 2);
  CHECK(text_of({&a, &b}) == "1 2 10 20 21 30 ");
  CHECK(text_of({&b, &a}) == "1 2 10 20 21 30 ");
  CHECK(text_of({}).empty());
}

TEST_CASE("what was printed after a cycle can be left out") {
  PrintfBuffer buffer(1000);
  print(buffer, 5, 1, 10);
  print(buffer, 4, 2, 11);
  print(buffer, 4, 3, 12);
  CHECK(text_of({&buffer}, 11) == "2 1 ");
}

TEST_CASE("the last records that fit remain") {
  for (uint64_t limit : {kBytes * 3, kBytes * 4 - 1}) {
    PrintfBuffer buffer(limit);
    for (uint64_t i = 0; i < 10; ++i) print(buffer, 0, i);
    CHECK(text_of({&buffer}) == "7 8 9 ");
  }
  PrintfBuffer none(kBytes - 1);
  print(none, 0, 1);
  CHECK(text_of({&none}).empty());
}

TEST_CASE("which records remain does not depend on which SM has the blocks, or when they ran") {
  std::string together = [] {
    PrintfBuffer one(kBytes * 5);
    for (uint64_t block = 0; block < 4; ++block)
      for (uint64_t i = 0; i < 3; ++i) print(one, block, 10 * block + i);
    return text_of({&one});
  }();
  CHECK(together == "21 22 30 31 32 ");
  PrintfBuffer a(kBytes * 5), b(kBytes * 5);
  for (uint64_t i = 0; i < 3; ++i)
    for (uint64_t block : {3, 0}) print(a, block, 10 * block + i);
  for (uint64_t i = 0; i < 3; ++i)
    for (uint64_t block : {2, 1}) print(b, block, 10 * block + i);
  CHECK(text_of({&a, &b}) == together);
}

TEST_CASE("a record that was overwritten takes those before it along, also smaller ones that come later") {
  PrintfBuffer buffer(kBytes * 2);
  buffer.add(1, 0, buffer.format("%s ", 8), {{1, std::string(20, 'x'), false}});  // 16 + 8 + 24 bytes: all there is
  print(buffer, 2, 2);
  print(buffer, 0, 0);  // there would be room for it
  CHECK(text_of({&buffer}) == "2 ");
}

TEST_CASE("long output comes in pieces") {
  PrintfBuffer buffer(1 << 20);
  for (uint64_t i = 0; i < 1000; ++i) buffer.add(0, 0, buffer.format("%1000d", 8), {{i, "", false}});
  size_t pieces = 0, bytes = 0;
  PrintfBuffer* one = &buffer;
  PrintfBuffer::print({&one, 1}, kNever, [&](std::string_view piece) {
    ++pieces;
    bytes += piece.size();
  });
  CHECK(bytes == 1'000'000);
  CHECK(pieces > 10);
}

}  // namespace warptime::sim
