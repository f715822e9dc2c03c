// Where the output of printf in device code goes.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;

namespace {

Outcome print_blocks(const std::string& command, std::vector<std::string> more) {
  std::vector<std::string> words{command,     WARPTIME_SOURCE_DIR "/tests/compilers/runtime/printing.ptx",
                                 "--kernel",  "blocks",
                                 "--grid",    "1",
                                 "--block",   "2",
                                 "--machine", "geforce-gtx-480",
                                 "--buffer",  "in=u32:4:iota",
                                 "--buffer",  "r=u32:32",
                                 "--arg",     "in",
                                 "--arg",     "r"};
  words.insert(words.end(), more.begin(), more.end());
  return warptime::test::warptime(words);
}

const std::string kPrinted = "block 0 thread 0: 0\n";

}  // namespace

TEST_CASE("what device code prints goes to standard output, before the summary and without it") {
  Outcome plain = print_blocks("run", {});
  CHECK(plain.status == 0);
  CHECK_THAT(plain.out, Contains(kPrinted));
  CHECK(plain.out.find(kPrinted) < plain.out.find("occupancy"));
  CHECK(plain.err.empty());
  Outcome quiet = print_blocks("run", {"--quiet"});
  CHECK(quiet.out == "block 0 thread 1: 0.125, odd\n" + kPrinted);
}

TEST_CASE("what device code prints goes to standard error where standard output has something else to carry") {
  for (std::vector<std::string> more : {std::vector<std::string>{"--json"}, {"--stats", "-"}}) {
    Outcome machine_readable = print_blocks("run", more);
    CHECK(machine_readable.status == 0);
    CHECK_NOTHROW(nlohmann::json::parse(machine_readable.out));
    CHECK_THAT(machine_readable.err, Contains(kPrinted));
  }
  for (const char* command : {"annotate", "trace"}) {
    Outcome listing = print_blocks(command, {});
    CHECK(listing.status == 0);
    CHECK_THAT(listing.out, !Contains(kPrinted));
    CHECK_THAT(listing.err, Contains(kPrinted));
  }
}

TEST_CASE("commands of many runs do not show what device code prints") {
  Outcome sweep = print_blocks("sweep", {"--set", "issue.interval=1,2"});
  CHECK(sweep.status == 0);
  CHECK_THAT(sweep.out + sweep.err, !Contains("block 0"));
}
