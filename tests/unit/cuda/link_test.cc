// Several files of relocatable device code as one module.
#include "cuda/link.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "ptx/load_module.h"

using namespace warptime;

TEST_CASE("link: headers and weak definitions once, files and lines numbered through") {
  const std::string head = "// made\n.version 8.0\n.target sm_50\n.address_size 64\n";
  const std::string weak =
      ".weak .func (.param .b32 r) same(.param .b32 x)\n{\n\t.reg .u32 %r;\n\tld.param.u32 %r, [x];\n"
      "\t.loc\t1 7 3\n\tst.param.b32 [r], %r;\n\tret;\n}\n"
      ".weak .global .align 4 .b8 table[8] = {1, 2, 3};\n";
  const std::string own = ".global .align 1 .b8 $str[2] = {65, 0};\n";
  const std::string files = "\n\t.file\t1 \"a.cu\"\n";
  const std::vector<std::string> parts{
      head + own + ".extern .func leaf();\n.extern .global .u32 count;\n" + weak +
          ".visible .entry k()\n{\n\t.reg .u32 %r;\n\tcall leaf;\n\tst.global.u32 [count], 1;\n\tret;\n}\n" + files,
      head + own + weak + ".visible .global .u32 count;\n.visible .func leaf()\n{\n\t.loc\t1 9 2\n\tret;\n}\n" + files};
  const std::string all = cuda::link_ptx(parts);
  auto count = [&](std::string_view what) {
    size_t times = 0;
    for (size_t at = all.find(what); at != std::string::npos; at = all.find(what, at + 1)) ++times;
    return times;
  };
  CHECK(count(".version") == 1);
  CHECK(count(") same(") == 1);
  CHECK(count(" table[8]") == 1);
  CHECK(count(" $str[2]") == 1);
  CHECK(count(" $str$file1[2]") == 1);
  CHECK(count(".loc\t1 7 3") == 1);
  CHECK(count(".loc\t2 9 2") == 1);
  CHECK(count(".file\t2 \"a.cu\"") == 1);
  Diagnostics diagnostics;
  auto module = ptx::load_module(std::make_shared<SourceText>("all.ptx", all), diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(module != nullptr);
  CHECK(module->kernels.size() == 1);
}
