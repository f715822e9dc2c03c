// The parts of a sweep by themselves: values at their commas, and work in child processes.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <stdexcept>

#include "cli/sweep/sweep_children.h"
#include "cli/sweep/sweep_plan.h"

namespace warptime::cli {

TEST_CASE("values stand between commas, but not those in brackets") {
  using Words = std::vector<std::string>;
  CHECK(split_values("1") == Words{"1"});
  CHECK(split_values("1,2,4") == Words{"1", "2", "4"});
  CHECK(split_values("a,,") == Words{"a", "", ""});
  CHECK(split_values("[a,b],c") == Words{"[a,b]", "c"});
  CHECK(split_values("a],b") == Words{"a]", "b"});
}

TEST_CASE("results come in order, whoever ends first") {
  std::string order;
  size_t most = 0;
  run_children(2, 7, 3,
               {.work =
                    [](size_t i) {
                      usleep(i % 2 == 0 ? 20000 : 0);                             // even numbers are overtaken
                      return std::string(i * 50000, static_cast<char>('0' + i));  // more than a pipe holds
                    },
                .done =
                    [&](size_t i, const ChildResult& result) {
                      CHECK(result.end == ChildResult::End::Result);
                      CHECK(result.text == std::string(i * 50000, static_cast<char>('0' + i)));
                      order += std::to_string(i);
                    },
                .progress = [&](size_t ended) { most = ended; }});
  CHECK(order == "23456");
  CHECK(most == 5);
}

TEST_CASE("a child that dies is a result like others") {
  std::string seen;
  run_children(0, 3, 2,
               {.work =
                    [](size_t i) {
                      if (i == 1) raise(SIGKILL);
                      return std::string("well");
                    },
                .done = [&](size_t, const ChildResult& result) { seen += result.text + "; "; },
                .progress = [](size_t) {}});
  CHECK(seen == "well; its process was ended by signal 9, perhaps for want of memory; well; ");
}

TEST_CASE("nothing runs on after the parent gave up") {
  auto give_up = [] {
    run_children(0, 50, 4,
                 {.work =
                      [](size_t i) {
                        if (i > 0) sleep(60);
                        return std::string();
                      },
                  .done = [](size_t, const ChildResult&) { throw std::runtime_error("enough"); },
                  .progress = [](size_t) {}});
  };
  CHECK_THROWS_WITH(give_up(), "enough");
}

}  // namespace warptime::cli
