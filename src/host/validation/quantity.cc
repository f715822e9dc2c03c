#include "host/validation/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warptime::host {

QuantityKind kind_of(const ValidationRow& row) {
  const auto* found = std::find_if(kQuantities.begin(), kQuantities.end(),
                                   [&](const Quantity& quantity) { return quantity.name == row.quantity; });
  QuantityKind kind = found == kQuantities.end() ? QuantityKind::Other : found->kind;
  if (kind == QuantityKind::Listed) return kind;
  if (std::holds_alternative<std::string>(row.published)) return QuantityKind::Text;
  return kind == QuantityKind::Text ? QuantityKind::Other : kind;
}

std::optional<double> difference(const ValidationOutcome& outcome) {
  const double* published = std::get_if<double>(&outcome.row->published);
  if (published == nullptr || outcome.role == Role::Recalled) return std::nullopt;
  const double* number = outcome.simulated ? std::get_if<double>(&*outcome.simulated) : nullptr;
  return (number != nullptr ? *number : 0) - *published;
}

bool same_as_published(const ValidationOutcome& outcome) {
  if (!outcome.simulated) return false;
  const double* published = std::get_if<double>(&outcome.row->published);
  const double* number = std::get_if<double>(&*outcome.simulated);
  if (published == nullptr || number == nullptr) return *outcome.simulated == outcome.row->published;
  std::string printed = fmt::format("{}", *published);
  if (printed.find('e') != std::string::npos) return *number == *published;
  size_t dot = printed.find('.');
  auto digits = static_cast<double>(dot == std::string::npos ? 0 : printed.size() - dot - 1);
  // Half a unit of the last digit, and a little for that digit's own binary fraction.
  return std::abs(*number - *published) <= 0.5 * std::pow(10, -digits) * (1 + 1e-9);
}

}  // namespace warptime::host
