// --step: outputs, statistics and messages are the same bytes, also of launches that end with a fault.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Json = nlohmann::ordered_json;

namespace {

std::string kernel(const std::string& body) {
  return R"(.version 3.0
.target sm_20
.address_size 64
.visible .entry k(.param .u64 x)
{
  .reg .pred %p<4>;
  .reg .b32 %r<9>;
  .reg .b64 %d<9>;
  ld.param.u64 %d1, [x];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %d2, %r4, 4;
  add.u64 %d2, %d1, %d2;
)" + body +
         "  ret;\n}\n";
}

/// Status, messages, statistics without the host's, and the bytes of the buffer.
struct Ended {
  int status;
  std::string err, statistics, bytes;
  bool operator==(const Ended&) const = default;
};

Ended run(const std::string& body, std::vector<std::string> more) {
  TempFolder folder;
  std::vector<std::string> words{"run",       folder.write("k.ptx", kernel(body)),
                                 "--machine", "geforce-gtx-480",
                                 "--grid",    "5",
                                 "--block",   "128",
                                 "--buffer",  "x=u32:4096:iota",
                                 "--arg",     "x",
                                 "--quiet",   "--stats-per-instruction",
                                 "--output",  "x=" + folder.path("x.bin"),
                                 "--stats",   folder.path("s.json")};
  words.insert(words.end(), more.begin(), more.end());
  Outcome outcome = warptime::test::warptime(words);
  Json statistics = Json::parse(read_text(folder.path("s.json")));
  statistics.erase("host");
  statistics.erase("target");
  std::string err = outcome.err;
  for (std::string path = folder.path(""); err.find(path) != std::string::npos;) err.erase(err.find(path), path.size());
  return {outcome.status, err, statistics.dump(), read_text(folder.path("x.bin"))};
}

void same_for_every_step(const std::string& body, const std::vector<std::string>& more, int status) {
  const Ended whole = run(body, more);
  CHECK(whole.status == status);
  for (const char* step : {"half", "quarter"}) {
    std::vector<std::string> words{"--step", step};
    words.insert(words.end(), more.begin(), more.end());
    const Ended other = run(body, words);
    INFO(step);
    CHECK(other.status == whole.status);
    CHECK(other.err == whole.err);
    CHECK(other.bytes == whole.bytes);
    CHECK(other.statistics == whole.statistics);
  }
}

const std::string kTickets = R"(  atom.global.add.u32 %r5, [%d1], 1;
  st.global.u32 [%d2+4096], %r5;
)";

}  // namespace

TEST_CASE("steps: a fault leaves the same bytes") {
  same_for_every_step(kTickets + "  setp.eq.u32 %p1, %r5, 300;\n  @%p1 trap;\n  st.global.u32 [%d2+8192], %r5;\n", {},
                      3);
  same_for_every_step(kTickets + "  setp.gt.u32 %p1, %r4, 500;\n  @%p1 ld.global.u32 %r6, [%d2+99999999];\n", {}, 3);
}

TEST_CASE("steps: the limit of cycles leaves the same bytes") {
  for (const char* limit : {"700", "801"}) same_for_every_step(kTickets, {"--max-cycles", limit}, 3);
}

TEST_CASE("steps: a deadlock leaves the same bytes") {
  same_for_every_step(kTickets +
                          "  setp.lt.u32 %p1, %r1, 32;\n  @%p1 bra A;\n  bar.sync 1, 128;\n  bra B;\nA:\n"
                          "  bar.sync 2, 128;\nB:\n",
                      {}, 3);
}
