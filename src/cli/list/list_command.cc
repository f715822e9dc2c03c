// `warptime list workloads|machines|instructions|statistics|figures|parameters|cuda`: what there is, straight from the
// tables that the program itself uses.
#include <array>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "cli/list/catalogue.h"
#include "cli/list/workload_list.h"
#include "cli/output.h"
#include "cli/text_table.h"

namespace warptime::cli {

namespace {

struct Listing {
  std::string_view name;
  std::string (*text)();
  nlohmann::ordered_json (*json)();
};

template <Catalogue (*list)()>
std::string rows_text() {
  return text_table(list().rows);
}

template <Catalogue (*list)()>
nlohmann::ordered_json rows_json() {
  Catalogue catalogue = list();
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& row : catalogue.rows) {
    nlohmann::ordered_json entry;
    for (size_t i = 0; i < row.size(); ++i) entry[catalogue.columns[i]] = row[i];
    rows.push_back(std::move(entry));
  }
  return rows;
}

constexpr std::array kListings{
    Listing{"workloads", workloads_text, workloads_json},
    Listing{"machines", rows_text<list_machines>, rows_json<list_machines>},
    Listing{"instructions", instructions_text, rows_json<list_instructions>},
    Listing{"statistics", rows_text<list_statistics>, rows_json<list_statistics>},
    Listing{"figures", rows_text<list_figures>, rows_json<list_figures>},
    Listing{"parameters", rows_text<list_parameters>, rows_json<list_parameters>},
    Listing{"cuda", rows_text<list_cuda_functions>, rows_json<list_cuda_functions>},
};

const Command& describe_list() {
  static const Command command{
      .name = "list",
      .usage = "workloads|machines|instructions|statistics|figures|parameters|cuda [options]",
      .summary = "list workloads, machines, instructions, statistics, figures, parameters, CUDA functions",
      .details = {},
      .options = {{"json", Option::Kind::OptionalValue, Takes::file("FILE"), "as JSON, to FILE or standard output"}},
      .unavailable = {},
      .examples = {"warptime list workloads", "warptime list parameters", "warptime list statistics --json"},
      .min_words = 1,
      .max_words = 1,
      .word_name = "kind of thing"};
  return command;
}

int execute_list(const Arguments& arguments) {
  const ArgumentText& word = arguments.words().front();
  std::vector<std::string_view> known;
  for (const Listing& listing : kListings) {
    known.push_back(listing.name);
    if (listing.name != word.text) continue;
    if (auto json = output_of(arguments, "json")) {
      nlohmann::ordered_json out;
      out[std::string(listing.name)] = listing.json();
      json->write_all(json_text(out));
    } else {
      print(listing.text());
    }
    return kDone;
  }
  auto near = nearest(word.text, known);
  fail(word.where, fmt::format("there is no list of \"{}\"", word.text),
       near ? fmt::format("did you mean \"{}\"?", *near) : fmt::format("available: {}", fmt::join(known, ", ")));
}

}  // namespace

Entry list_command() { return {describe_list, execute_list}; }

}  // namespace warptime::cli
