#include "host/launch_file/printed_range.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/parse_number.h"
#include "host/device/typed_value.h"

namespace warptime::host {

namespace {

constexpr uint64_t kElementsPerLine = 8;

std::string element_text(ptx::Type type, uint64_t bits) {
  switch (ptx::info(type).kind) {
    case ptx::TypeKind::Float: {
      double value = decode_value(type, bits);
      // The fewest digits that are this value in its own type.
      return type == ptx::Type::F64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
    }
    case ptx::TypeKind::Signed: {
      const uint32_t unused = 64 - ptx::bits(type);
      return fmt::format("{}", static_cast<int64_t>(bits << unused) >> unused);
    }
    case ptx::TypeKind::Bits: return fmt::format("0x{:0{}x}", bits, 2 * ptx::bytes(type));
    case ptx::TypeKind::Unsigned:
    case ptx::TypeKind::Packed:
    case ptx::TypeKind::Element:
    case ptx::TypeKind::Predicate: break;
  }
  return fmt::format("{}", bits);
}

}  // namespace

void plan_print(const std::string& text, LaunchPlan& plan, Diagnostics& diagnostics) {
  plan.sources.push_back(std::make_shared<SourceText>("--print", text));
  const SourceText* source = plan.sources.back().get();
  auto place = [&](size_t begin, size_t end) {
    return SourceSpan{source, static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)};
  };
  const size_t bracket = std::min(text.find('['), text.size());
  const std::string name = text.substr(0, bracket);
  auto buffer = plan.find_buffer(name);
  if (!buffer) {
    std::string hint = did_you_mean(name, plan.buffer_names());
    if (hint.empty() && !plan.buffers.empty())
      hint = fmt::format("available: {}", fmt::join(plan.buffer_names(), ", "));
    return diagnostics.error(place(0, bracket), fmt::format("there is no buffer \"{}\"", name), hint);
  }
  PlannedPrint print{.buffer = *buffer, .first = 0, .end = plan.buffers[*buffer].count};
  if (bracket < text.size()) {
    if (!text.ends_with(']'))
      return diagnostics.error(place(bracket, text.size()), "a \"]\" is missing", "NAME[FIRST:END]");
    const std::string inside = text.substr(bracket + 1, text.size() - bracket - 2);
    const size_t colon = inside.find(':');
    const std::string first = inside.substr(0, colon), end = colon == std::string::npos ? "" : inside.substr(colon + 1);
    const bool open = colon != std::string::npos;  // either side may then be left out
    bool good = (open && first.empty()) || parse_number(first, print.first) == NumberError::Ok;
    if (!open) print.end = print.first + (print.first < print.end ? 1 : 0);
    else good = good && (end.empty() || parse_number(end, print.end) == NumberError::Ok);
    if (!good)
      return diagnostics.error(place(bracket + 1, text.size() - 1),
                               fmt::format("\"{}\" is not a range of indices", inside), "NAME[FIRST:END]");
    if (print.first >= print.end || print.end > plan.buffers[*buffer].count)
      return diagnostics.error(place(bracket + 1, text.size() - 1),
                               fmt::format("buffer \"{}\" has elements 0 to {}", name, plan.buffers[*buffer].count - 1),
                               "FIRST is printed, END is not");
  }
  plan.prints.push_back(print);
}

std::string printed_elements(const TypedData& buffer, std::span<const std::byte> bytes, const PlannedPrint& print) {
  std::string out;
  for (uint64_t at = print.first; at < print.end; at += kElementsPerLine) {
    const uint64_t end = std::min(print.end, at + kElementsPerLine);
    std::vector<std::string> texts;
    for (uint64_t i = at; i < end; ++i) texts.push_back(element_text(buffer.type, load_element(buffer.type, bytes, i)));
    out += fmt::format("{}[{}:{}]  {}\n", buffer.name, at, end, fmt::join(texts, "  "));
  }
  return out;
}

}  // namespace warptime::host
