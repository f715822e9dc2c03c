// Messages of the Debug Adapter Protocol from a pipe.
#include "debug/dap/message_stream.h"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>

using namespace warptime::debug;

namespace {

/// A pipe with these bytes in it, whose writer is gone.
class Input {
 public:
  explicit Input(std::string_view bytes) {
    REQUIRE(pipe(ends_.data()) == 0);
    REQUIRE(write(ends_[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(ends_[1]);
  }
  ~Input() { close(ends_[0]); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  int end() const { return ends_[0]; }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace

TEST_CASE("messages follow each other, with other headers between", "[debug]") {
  Input input("Content-Length: 7\r\n\r\n{\"a\":1}Content-Type: x\r\nContent-Length:  2 \r\n\r\n{}");
  MessageStream stream(input.end(), {});
  auto first = stream.read();
  REQUIRE(first);
  CHECK((*first)["a"] == 1);
  CHECK(stream.is_ready());
  REQUIRE(stream.read());
  CHECK_FALSE(stream.read());
  CHECK(stream.error().empty());
}

TEST_CASE("what is not a message is told", "[debug]") {
  auto error_of = [](std::string_view bytes) {
    Input input(bytes);
    MessageStream stream(input.end(), {});
    CHECK_FALSE(stream.read());
    return stream.error();
  };
  CHECK(error_of("Content-Length: 3\r\n\r\n{}") == "the input ends within a message");
  CHECK(error_of("Content-Length: 2\r\n") == "the input ends within a header");
  CHECK(error_of("Length: 2\r\n\r\n{}") == "a header has no Content-Length");
  CHECK(error_of("Content-Length: 2\r\n\r\n[]") == "a message is not a JSON object");
  CHECK(error_of("Content-Length: 99999999999\r\n\r\n") == "a message is too long");
  CHECK(error_of(std::string(5000, 'x')) == "a message has no header");
}

TEST_CASE("a message is written with its length in bytes", "[debug]") {
  std::string written;
  MessageStream stream(0, [&](std::string_view bytes) { written += bytes; });
  stream.write({{"text", "\xc3\xa4"}});
  CHECK(written == "Content-Length: 13\r\n\r\n{\"text\":\"\xc3\xa4\"}");
}
