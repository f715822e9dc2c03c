// By how many bytes addresses move from one iteration of a loop to the next.
#include "analysis/program/address_steps.h"

#include "../counted_kernel.h"

using namespace warptime;
using namespace warptime::analysis;

TEST_CASE("address steps: sums and products of what the loop steps") {
  const test::CountedKernel k(R"(mov.u32 %r1, 0;
mov.u64 %rd1, 0;
mov.u64 %rd9, 0;
again:
mul.wide.u32 %rd2, %r1, 16;
add.u64 %rd3, %rd9, %rd2;
ld.global.f32 %f1, [%rd3];
ld.global.f32 %f2, [%rd1];
ld.global.f32 %f3, [%rd1+4];
ld.global.f32 %f4, [%rd9];
ld.global.u64 %rd5, [%rd9+8];
ld.global.f32 %f5, [%rd5];
add.u64 %rd1, %rd1, 8;
add.u32 %r1, %r1, 2;
setp.lt.u32 %p1, %r1, 10;
@%p1 bra again;
st.global.f32 [%rd1], %f1;
ret;)",
                              std::vector<uint64_t>(17, 1));
  const auto steps = address_steps(k.kernel());
  REQUIRE(steps[5]);
  CHECK(steps[5]->bytes == 32);  // 16 for each of 2
  REQUIRE(steps[6]);
  CHECK(steps[6]->bytes == 8);
  CHECK(steps[6]->accesses == 2);
  REQUIRE(steps[8]);
  CHECK(steps[8]->bytes == 0);  // the same address
  CHECK_FALSE(steps[10]);       // from memory
  CHECK_FALSE(steps[16]);       // in no loop
  CHECK_FALSE(steps[3]);        // no access
}
