#include "vector_file.h"

#include <zlib.h>

#include <stdexcept>

namespace warptime::sim {

// After the first line and the lines of `origin`, an empty line; then for each form "BYTES FORM\n" and its bytes, or
// "refused FORM\n" and a line with the message.
namespace {
constexpr const char* kFirstLine = "golden vectors of warptime, format 1\n";
}

bool write_vectors(const std::string& path, const VectorFile& file) {
  std::string text = kFirstLine + file.origin + "\n";
  for (const auto& [name, form] : file.forms) {
    if (form.refusal.empty()) text += std::to_string(form.bytes.size()) + " " + name + "\n" + form.bytes;
    else text += "refused " + name + "\n" + form.refusal + "\n";
  }
  gzFile out = gzopen(path.c_str(), "wb9");
  if (out == nullptr) return false;
  bool whole = gzwrite(out, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size());
  return gzclose(out) == Z_OK && whole;
}

VectorFile read_vectors(const std::string& path) {
  gzFile in = gzopen(path.c_str(), "rb");
  if (in == nullptr) throw std::runtime_error("cannot open " + path);
  std::string text;
  char buffer[1 << 16];
  int got = 0;
  while ((got = gzread(in, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<size_t>(got));
  gzclose(in);

  size_t at = 0;
  auto line = [&] {
    size_t end = text.find('\n', at);
    if (end == std::string::npos) throw std::runtime_error(path + " is cut off");
    std::string out = text.substr(at, end - at);
    at = end + 1;
    return out;
  };
  if (got < 0 || line() + "\n" != kFirstLine) throw std::runtime_error(path + " is not a file of golden vectors");
  VectorFile file;
  for (std::string l = line(); !l.empty(); l = line()) file.origin += l + "\n";
  while (at < text.size()) {
    std::string head = line();
    size_t space = head.find(' ');
    RecordedForm& form = file.forms[head.substr(space + 1)];
    if (head.starts_with("refused ")) {
      form.refusal = line();
    } else {
      form.bytes = text.substr(at, std::stoul(head));
      at += form.bytes.size();
    }
  }
  return file;
}

}  // namespace warptime::sim
