// The log of the CUDA profiler of the toolkits 1 to 4 (CUDA_PROFILE=1): lines of `# NAME VALUE`, a line with the names
// of the columns, then for each launch and each copy `method=[ NAME ] gputime=[ 12.3 ] ...`, or with CUDA_PROFILE_CSV=1
// the values between commas. A row has no more columns than it needs: copies have neither occupancy nor counters. As
// CUDA_Profiler.txt of the toolkits 2 and 3 has it.
#include <algorithm>

#include "base/csv_line.h"
#include "base/plural.h"
#include "cli/compare/profile.h"

namespace warptime::cli {

namespace {

constexpr std::string_view kForm = "a row is `method=[ NAME ] gputime=[ 12.3 ] ...`, or values between commas";

class CudaProfileReader {
 public:
  explicit CudaProfileReader(Profile& profile) : profile_(profile), source_(*profile.source) {}

  void read() {
    for (uint32_t line = 1; line <= source_.line_count(); ++line) {
      std::string_view text = without_blanks(source_.line(line));
      if (text.empty()) continue;
      if (text.starts_with('#')) about(text);
      else if (text.find("=[") != std::string_view::npos) add_pairs(text);
      else add_cells(text, read_csv_line(source_, line));
    }
  }

 private:
  void about(std::string_view text) {
    constexpr std::string_view kDevice = "# CUDA_DEVICE ";
    if (!profile_.device.empty() || !text.starts_with(kDevice)) return;
    text = without_blanks(text.substr(kDevice.size()));
    profile_.device = without_blanks(text.substr(std::min(text.find(' '), text.size())));  // after its number
  }

  void add_pairs(std::string_view text) {
    SourceSpan whole = span_of(source_, text);
    row_.clear();
    while (!text.empty()) {
      size_t open = text.find("=[");
      if (open == std::string_view::npos || open == 0 ||
          without_blanks(text.substr(0, open)).find(' ') != std::string_view::npos)
        fail(span_of(source_, text), "expected a column, as in gputime=[ 12.3 ]", std::string(kForm));
      size_t close = text.find(']', open);
      if (close == std::string_view::npos)
        fail(span_of(source_, text.substr(open + 1, 1)), "this value has no closing bracket",
             "the line is cut off, or was edited");
      row_.emplace_back(without_blanks(text.substr(0, open)), without_blanks(text.substr(open + 2, close - open - 2)));
      text = without_blanks(text.substr(close + 1));
    }
    add(whole);
  }

  void add_cells(std::string_view text, const CsvLine& line) {
    SourceSpan whole = span_of(source_, text);
    if (line.open_quote.source != nullptr) fail(line.open_quote, "this cell has no closing quote", std::string(kForm));
    bool is_header = false;
    for (const CsvCell& cell : line.cells) is_header |= cell.text == "method";
    if (is_header) {
      columns_.clear();
      for (const CsvCell& cell : line.cells) columns_.push_back(cell.text);
      return;
    }
    if (columns_.empty()) fail(whole, "expected the names of the columns, or a row with names", std::string(kForm));
    if (line.cells.size() > columns_.size())
      fail(line.cells[columns_.size()].where,
           fmt::format("this row has {}; there are {}", plural(line.cells.size(), "cell"),
                       plural(columns_.size(), "column")));
    row_.clear();
    for (size_t i = 0; i < line.cells.size(); ++i)
      if (line.cells[i].where.length > 0) row_.emplace_back(columns_[i], warptime::text_of(line.cells[i].where));
    add(whole);
  }

  void add(SourceSpan whole) {
    std::string_view method;
    for (const auto& [name, value] : row_)
      if (name == "method") method = value;
    if (method.empty()) fail(whole, "this row has no method", std::string(kForm));
    if (method.starts_with("memcpy") || method.starts_with("memset") || method == "memcopy") {
      ++profile_.copies;
      return;
    }
    Profile::Launch& launch = profile_.launches.emplace_back();
    launch.kernel = profile_.text_number(method);
    uint32_t no_unit = profile_.text_number("");
    for (const auto& [name, value] : row_)
      if (name != "method") launch.counters.push_back({profile_.text_number(name), no_unit, span_of(source_, value)});
  }

  Profile& profile_;
  const SourceText& source_;
  std::vector<std::string> columns_;
  std::vector<std::pair<std::string, std::string_view>> row_;  // names and values
};

}  // namespace

bool is_cuda_profile_line(std::string_view line) {
  line = without_blanks(line);
  return line.starts_with("# CUDA_PROFILE_") || line.starts_with("method=[") || line.starts_with("timestamp=[") ||
         line.starts_with("method,gputime");
}

void read_cuda_profile(Profile& profile) { CudaProfileReader(profile).read(); }

}  // namespace warptime::cli
