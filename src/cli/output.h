// Text on its way out: to a file that the user named, or to standard output ("-"). What cannot be written is an error,
// told before a long run where that can be known.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/output_file.h"
#include "cli/command_line.h"

namespace warptime::cli {

/// Fails if the output is a file that this command reads, or writes for another option. `option`: "--stats".
void check_output(const ArgumentText& file, std::string_view option, const Arguments& arguments);
/// The same, and if the file cannot be written.
void check_writable(const ArgumentText& file, std::string_view option, const Arguments& arguments);

/// A file that an option names. Its place has the older file until finish().
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

/// To standard output; throws when that is closed or full. A reader that went away is not an error.
void write_bytes(std::string_view text);
/// The same of text for people: what a terminal would obey is shown as \xNN.
void print(std::string_view text);

}  // namespace warptime::cli
