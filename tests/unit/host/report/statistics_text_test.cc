// Statistics as text: JSON as the library would write it, cells, and what is told while a run goes on.
#include "host/report/statistics_text.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "host/report/report.h"
#include "host/report/value_writer.h"
#include "unit/host/host_test.h"

using namespace warptime;
using namespace warptime::host;
using nlohmann::ordered_json;

TEST_CASE("JSON text is that of the library, byte for byte") {
  const ordered_json value = ordered_json::parse(R"({"a": 1, "empty": {}, "none": [], "list": [1, 2.5, [], {"x": null}],
      "text": "quoted \" \\ \u0001 \u00e9", "real": 1e22, "zero": 0.0, "small": 1e-7, "flag": true, "k\"ey": -3})");
  std::string text;
  JsonText out([&](std::string_view part) { text += part; });
  write_json(out, {}, value);
  out.finish("\n");
  CHECK(text == value.dump(2) + "\n");
}

TEST_CASE("JSON text that was written elsewhere takes its place among items") {
  std::string inner, whole;
  JsonText items([&](std::string_view part) { inner += part; }, 2);
  for (uint64_t i = 0; i < 3; ++i) items.number({}, i);
  items.flush();
  JsonText out([&](std::string_view part) { whole += part; });
  out.begin_object({});
  out.begin_list("list");
  out.items(std::string_view(inner).substr(0, 4));  // it may come in pieces
  out.items(std::string_view(inner).substr(4));
  out.end();
  out.begin_list("none");
  out.items("");
  out.end();
  out.end();
  out.flush();
  CHECK(whole == ordered_json::parse(R"({"list": [0, 1, 2], "none": []})").dump(2));
}

TEST_CASE("cells have dotted names, objects of a list go by their names, others are left out") {
  FlatCells flat;
  const ordered_json value = ordered_json::parse(R"({"a": {"b": {"c": 1}}, "list": [1, 2], "none": [], "null": null,
      "units": [{"name": "y", "busy": 2}, {"name": "x", "busy": 0.5}], "rows": [{"line": 1}], "lists": [[1]], "t": "u"})");
  for (const auto& [name, member] : value.items()) write_json(flat, name, member);
  const FlatCells::Cells expected{{"a.b.c", "1"},          {"list", "1 2"},       {"none", ""}, {"null", ""},
                                  {"units.x.busy", "0.5"}, {"units.y.busy", "2"}, {"t", "u"}};
  CHECK(flat.cells() == expected);
}
