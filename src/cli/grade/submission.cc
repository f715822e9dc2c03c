#include "cli/grade/submission.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/ascii.h"
#include "base/descriptors.h"
#include "base/missing_file.h"
#include "base/run_files.h"
#include "base/system_error.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace {

constexpr size_t kMostBytes = size_t{16} << 20;
constexpr size_t kLongestStem = 80;

/// The name that compilers and reports see: nothing in it is an option, a folder or a character of a shell.
std::string harmless_name(const std::string& path) {
  const std::filesystem::path given(path);
  std::string stem = given.stem().string();
  if (stem.size() > kLongestStem) stem.resize(kLongestStem);
  for (char& c : stem)
    if (!ascii::is_letter_or_digit(c) && c != '-' && c != '.') c = '_';
  if (stem.empty() || stem.front() == '-' || stem.front() == '.') stem = "_" + stem;
  return stem + given.extension().string();
}

std::string kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "not an ordinary file";
}

}  // namespace

Submission read_submission(const ArgumentText& word) {
  if (!word.text.ends_with(".cu") && !word.text.ends_with(".ptx"))
    fail(word.where, fmt::format("a submission is a .cu or a .ptx file, not \"{}\"", word.text));
  Submission out{.name = word.text, .file = harmless_name(word.text), .text = {}, .refused = {}};
  // O_NONBLOCK: opening a pipe does not wait for its writer.
  const Descriptor file(open(word.text.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (file.number() < 0 && errno == ELOOP) {
    out.refused = "it is a symbolic link";
    return out;
  }
  if (file.number() < 0) {
    Diagnostics diagnostics;
    diagnostics.add(cannot_read(word.text, error_text(errno), word.where));
    throw host::InputError(diagnostics.to_text());
  }
  struct stat status {};
  if (fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    out.refused = fmt::format("it is {}", kind_of_file(status.st_mode));
    return out;
  }
  if (RunFiles* files = RunFiles::current())
    if (std::string why = files->reading(word.text); !why.empty()) fail(word.where, why);
  std::array<char, 65536> buffer{};
  for (ssize_t count; (count = read_some(file.number(), buffer.data(), buffer.size())) > 0;) {
    out.text.append(buffer.data(), static_cast<size_t>(count));
    if (out.text.size() <= kMostBytes) continue;
    out.refused = fmt::format("it has more than {} MiB", kMostBytes >> 20);
    out.text.clear();
    break;
  }
  return out;
}

}  // namespace warptime::cli
