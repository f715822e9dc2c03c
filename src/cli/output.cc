#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace warptime::cli {

namespace {

struct CloseOutput {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void fail_write(const Given& file, int error) {
  fail(file.where, fmt::format("cannot write {}: {}", file.text, std::strerror(error)));
}

}  // namespace

void check_writable(const Given& file) {
  if (file.text == "-") return;
  std::error_code error;
  bool existed = std::filesystem::exists(file.text, error);
  std::unique_ptr<std::FILE, CloseOutput> out(std::fopen(file.text.c_str(), "ab"));
  if (!out) fail_write(file, errno);
  out.reset();
  if (!existed) std::filesystem::remove(file.text, error);
}

void write_text(const Given& file, std::string_view text) {
  if (file.text == "-") return print(text);
  std::unique_ptr<std::FILE, CloseOutput> out(std::fopen(file.text.c_str(), "wb"));
  if (!out || std::fwrite(text.data(), 1, text.size(), out.get()) != text.size() || std::fflush(out.get()) != 0)
    fail_write(file, errno);
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  if (errno != EPIPE)  // a reader that has seen enough (`| head`) is nobody's mistake
    fail({}, fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

}  // namespace warptime::cli
