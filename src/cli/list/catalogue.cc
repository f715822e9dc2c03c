#include "cli/list/catalogue.h"

#include <fmt/format.h>

#include "cli/home.h"
#include "cli/text_table.h"
#include "cuda/function_table.h"
#include "host/launch_file/figure_names.h"
#include "ptx/syntax/mnemonic.h"
#include "sim/model/machine_loader.h"
#include "sim/model/parameters.h"
#include "sim/model/statistics_list.h"

namespace warptime::cli {

Catalogue list_machines() {
  Catalogue out{{"machine", "what"}, {}};
  for (const sim::MachineListing& machine : sim::list_machines(configs_folder()))
    out.rows.push_back({machine.name, machine.description});
  return out;
}

Catalogue list_instructions() {
  Catalogue out{{"instruction", "unit", "latency", "form", "operands", "needs", "manual", "what"}, {}};
  for (const ptx::CardRow& row : ptx::cards()) {
    const ptx::Card& card = *row.card;
    for (const ptx::Form& form : row.forms)
      out.rows.push_back({std::string(card.name), std::string(info(ptx::unit_of(card, form)).key),
                          std::string(info(ptx::latency_of(card, form)).key), ptx::form_text(card, form),
                          std::string(ptx::operands_of(card, form)), std::string(name_of(form.feature)),
                          std::string(card.manual), std::string(card.summary)});
  }
  return out;
}

std::string instructions_text() {
  std::string out;
  for (const ptx::CardRow& row : ptx::cards()) {
    const ptx::Card& card = *row.card;
    out += fmt::format("{}: {} (PTX ISA {})\n", card.name, card.summary, card.manual);
    TextRows forms;
    for (const ptx::Form& form : row.forms)
      forms.push_back(
          {std::string(info(ptx::unit_of(card, form)).key), std::string(info(ptx::latency_of(card, form)).key),
           fmt::format("{} {}{}", ptx::form_text(card, form), ptx::operands_of(card, form),
                       form.feature == ptx::Feature::None ? "" : fmt::format("  (needs {})", name_of(form.feature)))});
    out += text_table(forms, "  ");
  }
  return out;
}

Catalogue list_statistics() {
  Catalogue out{{"statistic", "unit", "scope", "profiler", "what"}, {}};
  for (const sim::StatisticRow& row : sim::statistics_list())
    out.rows.push_back({row.name, row.unit, std::string(row.scope), row.profiler, row.what});
  return out;
}

Catalogue list_figures() {
  Catalogue out{{"figure", "unit", "what"}, {}};
  for (const host::FigureName& row : host::figure_names())
    out.rows.push_back({std::string(row.name), std::string(row.unit), std::string(row.what)});
  return out;
}

Catalogue list_parameters() {
  Catalogue out{{"parameter", "type", "default", "legal", "scope", "what"}, {}};
  for (const sim::ParameterRow& row : sim::parameter_table())
    out.rows.push_back({row.path, row.type, row.default_value, row.legal, row.scope, row.doc});
  return out;
}

Catalogue list_cuda_functions() {
  Catalogue out{{"function", "cuda", "supported", "arguments"}, {}};
  for (const cuda::FunctionRow& row : cuda::functions())
    out.rows.push_back(
        {std::string(row.name), std::string(row.versions), row.done ? "yes" : "no", std::string(row.arguments)});
  return out;
}

}  // namespace warptime::cli
