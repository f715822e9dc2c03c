// Output of text to a file that the user named, or to standard output ("-"). Failures are errors, reported before a
// long run where possible.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/output_file.h"
#include "cli/command_line.h"

namespace warptime::cli {

/// Fails if the output is a file that this command also reads, or writes for another option. `option`: "--stats".
void check_output(const ArgumentText& file, std::string_view option, const Arguments& arguments);
/// check_output; also fails if the file cannot be written.
void check_writable(const ArgumentText& file, std::string_view option, const Arguments& arguments);

/// A file that an option names. An older file of this name is replaced in finish().
class Output {
 public:
  /// Throws host::InputError, as check_writable.
  Output(const ArgumentText& file, std::string_view option, const Arguments& arguments);

  void write(std::string_view text);
  /// Throws host::InputError with the system's reason, as write.
  void finish();
  void write_all(std::string_view text) {
    write(text);
    finish();
  }
  bool is_standard_output() const;
  const std::string& name() const { return name_.text; }

 private:
  void check() const;

  ArgumentText name_;
  OutputFile file_;
};

/// The file of `--OPTION FILE`, if it was given.
std::optional<Output> output_of(const Arguments& arguments, std::string_view option);

/// Two spaces of indent, a newline last. Bytes that are not UTF-8 (a file's name may have them) become U+FFFD.
std::string json_text(const nlohmann::ordered_json& value);

/// To standard output; throws if that is closed or full. A closed pipe is not an error.
void write_bytes(std::string_view text);
/// Text for a terminal, to standard output: control characters are shown as \xNN.
void print(std::string_view text);

}  // namespace warptime::cli
