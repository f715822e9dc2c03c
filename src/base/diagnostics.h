// Errors as data: a place, a sentence, a hint. Collected, then printed in one way for PTX, YAML and flags:
//
//   kernel.ptx:12:5: error: unknown instruction "addd"
//      12 |     addd.s32 %r1, %r2, %r3;
//         |     ^~~~
//         hint: did you mean "add"?
//
// In code that a compiler made, the line of the user comes first, and then that code:
//
//   kernel.cu:7:5: error: out-of-bounds store of 4 bytes in global memory
//        7 |     y[i] = x[i];
//          |     ^
//            PTX: kernel.ptx:31:2: st.global.f32 [%rd4], %f1;
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/source_text.h"

namespace warptime {

enum class Severity : uint8_t { Error, Warning, Note };

/// The line of the user's own source from which a compiler made a piece of code.
struct UserLine {
  std::string file = {};  // as the compiler was given it; empty: there is none
  uint32_t line = 0;
  uint32_t column = 0;                    // 0: not known
  std::string text = {};                  // empty: the file is not on this host
  std::vector<std::string> callers = {};  // the user's other lines from which it was inlined: "k.cu:21"
  std::vector<std::string> calls = {};    // all places of inlined code, the innermost first; empty: it is not inlined
};

struct Diagnostic {
  Severity severity = Severity::Error;
  SourceSpan where;        // source == nullptr: no place
  std::string message;     // one sentence, no full stop
  std::string hint;        // empty: none
  UserLine user = {};      // comes before `where`
  bool all_calls = false;  // print `user.calls`, not only the callers
};

/// "k.cu:9" without the file's folders; empty without a file.
std::string short_place(const UserLine& line);

/// One diagnostic as the text above (ends with a newline).
std::string format_diagnostic(const Diagnostic& diagnostic);

class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  void error(SourceSpan where, std::string message, std::string hint = {});
  void warning(SourceSpan where, std::string message, std::string hint = {});
  void note(SourceSpan where, std::string message, std::string hint = {});

  bool has_errors() const { return errors_ > 0; }
  size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return all_; }
  /// Every diagnostic in the order of its place, and "N errors" when there are several.
  std::string to_text() const;
  /// Keeps a source alive as long as these diagnostics point into it.
  void keep(std::shared_ptr<const SourceText> source);

 private:
  std::vector<Diagnostic> all_;
  std::vector<std::shared_ptr<const SourceText>> sources_;
  size_t errors_ = 0;
};

/// The candidate nearest to `word` in edit distance, if it is near enough to be a likely misspelling.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string_view>& candidates);

/// `did you mean "x"?`, or "" when nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace warptime
