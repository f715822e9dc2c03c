// What the host limits: memory, stack, and what standard input may be.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/host_memory.h"
#include "cli/cli.h"
#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;

namespace {

/// `warptime WORDS...` after a command of the shell such as "ulimit -v 700000".
Outcome limited(const std::string& limit, std::vector<std::string> words, const std::string& input = "/dev/null") {
  std::vector<std::string> all{"/bin/sh", "-c", limit + "; exec \"$0\" \"$@\" <" + input, WARPTIME_BINARY};
  all.insert(all.end(), words.begin(), words.end());
  return run_program(std::move(all));
}

}  // namespace

TEST_CASE("limits: too little host memory is told as that, with what was needed and which limit there is") {
  if (kSanitized) return;
  Outcome outcome = limited("ulimit -v 700000", {"run", "vecadd", "--param", "n=64", "--quiet"});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("error: device memory (memory.bytes) needs 8053") &&
                              Contains("bytes of host memory, which this process cannot get") &&
                              Contains("hint: ulimit -v allows this process 716800000 bytes"));
  CHECK_THAT(outcome.err, !Contains("does not fit in device memory"));
  for (const char* limit : {"ulimit -v 90000", "ulimit -v 110000", "ulimit -v 140000", "ulimit -d 60000"}) {
    Outcome small = limited(limit, {"run", "vecadd", "--param", "n=64", "--quiet", "--set", "memory.bytes=1048576"});
    CAPTURE(limit, small.err);
    CHECK((small.status == 0 || small.status == 2 || small.status == 127));
    CHECK_THAT(small.err, !Contains("internal fault") && !Contains("fault of its own"));
  }
}

TEST_CASE("limits: host threads that cannot be started are an error of the host") {
  if (kSanitized) return;
  Outcome outcome = limited("ulimit -v 100000", {"run", "vecadd", "--param", "n=64", "--set", "memory.bytes=67108864",
                                                 "--quiet", "--threads", "16"});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("cannot be started: ") && Contains("--threads takes a smaller number"));
}

TEST_CASE("limits: whoever asks learns that the host had no memory") {
  bool no_memory = false;
  std::string message;
  CHECK(warptime::cli::guarded([]() -> int { throw std::bad_alloc(); }, message, &no_memory) == 2);
  CHECK(no_memory);
  CHECK_THAT(message, Contains("error: there is not enough host memory for this run"));
  no_memory = false;
  CHECK(warptime::cli::guarded([]() -> int { warptime::throw_no_host_memory("this", 5); }, message, &no_memory) == 2);
  CHECK(no_memory);
  CHECK_THAT(message, Contains("error: this needs 5 bytes of host memory"));
}

TEST_CASE("limits: a small stack is enough") {
  if (kSanitized) return;
  for (const char* limit : {"ulimit -s 64", "ulimit -Ss 32", "ulimit -s 4096"}) {
    Outcome outcome = limited(limit, {"run", "vecadd", "--param", "n=64", "--quiet", "--threads", "2"});
    CAPTURE(limit, outcome.err);
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("limits: commands of the debugger do not come from a folder") {
  TempFolder folder;
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--script", "-"}, {}, {"--dap"}}) {
    std::vector<std::string> words{"debug", "vecadd", "--param", "n=64"};
    words.insert(words.end(), more.begin(), more.end());
    Outcome outcome = limited("true", words, folder.path(""));
    CAPTURE(more.size(), outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains("error: cannot read standard input: is a directory"));
  }
  Outcome endless = limited("true", {"debug", "vecadd", "--param", "n=64", "--script", "-"}, "/dev/zero");
  CHECK(endless.status == 2);
  CHECK_THAT(endless.err, Contains("cannot read standard input: is larger than 64 MiB"));
  CHECK_THAT(limited("true", {"debug", "vecadd", "--param", "n=64"}, "/dev/zero").err,
             Contains("a line of standard input is longer than 1 MiB"));
  CHECK(limited("true", {"debug", "vecadd", "--param", "n=64", "--script", "-"}).status == 0);
  Outcome script = warptime::test::warptime({"debug", "vecadd", "--param", "n=64", "--script", folder.path("")});
  CHECK(script.status == 2);
  CHECK_THAT(script.err, Contains("is a directory"));
}
