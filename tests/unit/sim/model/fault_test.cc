#include "sim/fault.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("a fault names line, block, thread, address and cycle") {
  SourceText source("k.ptx", "  ld.global.f32 %f1, [%rd1];\n");
  Fault fault;
  fault.message = "load outside every allocation";
  fault.hint = "the nearest is x\nit ends at 0x2000\n";
  fault.where = {&source, 2, 28};
  fault.has_thread = true;
  fault.block = {1, 2, 3};
  fault.thread = {4, 5, 6};
  fault.has_address = true;
  fault.address = 0x2004;
  fault.has_cycle = true;
  fault.cycle = 812;
  CHECK(format_fault(fault) ==
        "k.ptx:1:3: error: load outside every allocation, block (1,2,3) thread (4,5,6), address 0x2004, cycle 812\n"
        "     1 |   ld.global.f32 %f1, [%rd1];\n"
        "       |   ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "         hint: the nearest is x\n"
        "               it ends at 0x2000\n");
}

TEST_CASE("what a fault does not know it leaves out") {
  Fault fault;
  fault.message = "no progress";
  CHECK(format_fault(fault) == "error: no progress\n");
}
