// Rows of a validation table from a CSV of measured launches.
#include "host/validation/measured_rows.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "tools/run_program.h"

namespace warptime::host {

namespace {

using Catch::Matchers::Contains;

const std::string kCsv =
    "group,target,parameters,kernel,us,note\n"
    "a,vecadd,n=64 block=32,add,2.5,\"one, two\"\n"
    "a,vecadd,n=64 block=32,other,3.5,\n"
    "\n"
    "b,x.yaml,,k,1.25,\n";

constexpr const char* kEntry =
    R"(csv: t.csv, where: {group: a}, name: "m/{target}/{kernel}", target: "{target}", param: "{parameters}", )"
    R"(launch: "{kernel}", published: us - 0.5, machine: h200-sxm, role: predicted)";

/// A table beside a CSV, in a folder of its own; texts are without the folder.
class MeasuredTable {
 public:
  explicit MeasuredTable(const std::string& entry, const std::string& csv = kCsv, const std::string& more = "") {
    folder_.write("t.csv", csv);
    auto source = std::make_shared<SourceText>(folder_.path("t.yaml"),
                                               "source: S\n" + more + "measured:\n  set: {" + entry + "}\n");
    table_ = load_validation_table(source, "t", diagnostics_);
  }
  const ValidationTable& table() const { return table_; }
  std::string mistakes() const {
    std::string text = diagnostics_.to_text();
    const std::string folder = folder_.path("");
    for (size_t at; (at = text.find(folder)) != std::string::npos;) text.erase(at, folder.size());
    return text;
  }

 private:
  test::TempFolder folder_;
  Diagnostics diagnostics_;
  ValidationTable table_;
};

std::string entry_with(const std::string& part, const std::string& by) {
  std::string out = kEntry;
  out.replace(out.find(part), part.size(), by);
  return out;
}

std::string csv_mistakes(const std::string& csv) { return MeasuredTable(kEntry, csv).mistakes(); }

ValidationTable shipped_measured(const std::string& name) {
  Diagnostics diagnostics;
  std::string why;
  auto source = SourceText::read_file(WARPTIME_SOURCE_DIR "/validation/" + name + ".yaml", &why);
  REQUIRE(source != nullptr);
  ValidationTable table = load_validation_table(source, name, diagnostics);
  CHECK(diagnostics.to_text().empty());
  return table;
}

}  // namespace

TEST_CASE("measured: a row for each line of the CSV that is meant, with its run") {
  MeasuredTable measured(kEntry);
  CHECK(measured.mistakes().empty());
  const ValidationTable& table = measured.table();
  REQUIRE(table.rows.size() == 2);
  const ValidationRow& row = table.rows[0];
  CHECK(row.name == "m/vecadd/add");
  CHECK(row.quantity == "us");
  CHECK(row.published == FigureValue(2.0));
  CHECK(row.role == Role::Predicted);
  CHECK(row.source == "S");
  CHECK(row.launch == "add");
  CHECK(row.value == "set_1.launches.add.time_us");
  CHECK(table.rows[1].published == FigureValue(3.0));
  // One run has both launches.
  REQUIRE(table.runs.size() == 1);
  CHECK(table.rows[1].runs == row.runs);
  CHECK(table.runs[0].target == "vecadd");
  CHECK(table.runs[0].parameters == std::vector<std::string>{"n=64", "block=32"});
  CHECK(table.runs[0].parameter_places.size() == 2);
  CHECK(table.runs[0].machine == "h200-sxm");
  CHECK_FALSE(table.only_if_named);
}

TEST_CASE("measured: all lines and the default machine without more, and other units") {
  MeasuredTable measured(
      R"(csv: t.csv, name: "{kernel}", target: "{target}", launch: "{kernel}", published: us / 1000, quantity: ms, role: fitted)",
      kCsv, "only_if_named: true\n");
  CHECK(measured.mistakes().empty());
  REQUIRE(measured.table().rows.size() == 3);
  CHECK(measured.table().rows[2].quantity == "ms");
  CHECK(measured.table().rows[2].value == "set_2.launches.k.time_us / 1000");
  CHECK(measured.table().rows[2].role == Role::Fitted);
  CHECK(measured.table().runs[0].machine == "geforce-8800-gtx");
  CHECK(measured.table().only_if_named);
}

TEST_CASE("measured: a launch by its number, conditions, roles and notes of single rows, a source") {
  MeasuredTable measured(entry_with("launch: \"{kernel}\"", "launch: 1") +
                         ", conditions: {chip.caches_between_launches.l2: empty}, roles: {m/vecadd/add: fitted}, "
                         "notes: {m/vecadd/other: why}, source: T");
  CHECK(measured.mistakes().empty());
  const ValidationTable& table = measured.table();
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].value == "set_1.launches.1.time_us");
  CHECK(table.runs[0].conditions == std::vector<std::string>{"chip.caches_between_launches.l2=empty"});
  CHECK(table.rows[0].role == Role::Fitted);
  CHECK(table.rows[1].role == Role::Predicted);
  CHECK(table.rows[0].note.empty());
  CHECK(table.rows[1].note == "why");
  CHECK(table.rows[0].source == "T");
}

TEST_CASE("measured: another figure than the time, without small ones, of the runs that are there already") {
  const std::string figure = "figure: {value: 1 - 1e1 * caches.l1.hits / b, quantity: shares, at_least: 6}";
  const std::string other = entry_with("published: us - 0.5", "published: us * 2, " + figure);
  const ValidationTable table =
      MeasuredTable(std::string(kEntry) + "}\n  more: {" + std::string(other).replace(other.find("m/"), 2, "n/"))
          .table();
  REQUIRE(table.rows.size() == 3);  // 5.0 is less than 6
  CHECK(table.runs.size() == 1);
  CHECK(table.rows[2].name == "n/vecadd/other");
  CHECK(table.rows[2].quantity == "shares");
  CHECK(table.rows[2].value == "1 - 1e1 * set_1.launches.other.caches.l1.hits / set_1.launches.other.b");
  CHECK(std::get<double>(table.rows[2].published) == 7.0);
  const std::string zero = entry_with("published: us - 0.5", "published: us * 0, figure: {value: f, quantity: q}");
  CHECK_THAT(MeasuredTable(zero).mistakes(), Contains("t.csv has no such row"));
}

TEST_CASE("measured: a mistake in the table is shown there") {
  const auto mistake = [](const std::string& part, const std::string& by) {
    return MeasuredTable(entry_with(part, by)).mistakes();
  };
  CHECK_THAT(mistake("\"m/{target}/{kernel}\"", "\"m/{targte}/{kernel}\""),
             Contains("t.yaml:3:50: error: t.csv has no column \"targte\"\n") &&
                 Contains("       |                                                  ^~~~~~\n"
                          "         hint: did you mean \"target\"?\n"));
  CHECK_THAT(mistake("\"{target}\"", "\"{q}\""), Contains("columns: group, target, parameters, kernel, us, note"));
  CHECK_THAT(mistake("\"{target}\"", "\"{}\""), Contains("has no column \"\""));
  CHECK_THAT(mistake("\"{target}\"", "\"{target\""), Contains("has a { without a }"));
  CHECK_THAT(mistake("us - 0.5", "su - 0.5"), Contains("t.csv has no column \"su\"") && Contains("^~\n"));
  CHECK_THAT(mistake("us - 0.5", "us -"), Contains("\"us -\": "));
  CHECK_THAT(mistake("{group: a}", "{grup: a}"), Contains("has no column \"grup\"") && Contains("^~~~\n"));
  CHECK_THAT(mistake("{group: a}", "{group: c}"), Contains("t.yaml:3:28: error: t.csv has no such row"));
  CHECK_THAT(mistake("{group: a}", "a"), Contains("this must be a map, not \"a\""));
  CHECK_THAT(mistake("csv: t.csv", "csv: u.csv"),
             Contains("t.yaml:3:14: error: cannot read \"u.csv\"") && Contains("did you mean"));
  CHECK_THAT(mistake("role: predicted", "role: predicted, figure: {value: cycles}"),
             Contains("\"figure\" has no \"quantity\""));
  CHECK_THAT(mistake("role: predicted", "role: predicted, figure: {value: 1 +, quantity: q}"),
             Contains("\"1 +\" is not an expression over figures of a launch: "));
  CHECK_THAT(mistake("csv: t.csv, ", ""), Contains("measured \"set\" has no \"csv\""));
  CHECK_THAT(mistake("role: predicted", "role: guessed"), Contains("\"guessed\""));
  CHECK_THAT(mistake("role: predicted", "role: predicted, quantity: s"), Contains("\"s\""));
  CHECK_THAT(mistake("role: predicted", "role: predicted, notes: {m/vecadd/ad: x}"),
             Contains("measured \"set\" has no row \"m/vecadd/ad\"") && Contains("did you mean \"m/vecadd/add\"?"));
  CHECK_THAT(mistake("role: predicted", "role: predicted, roles: {m/vecadd/add: x}"), Contains("\"x\""));
  CHECK_THAT(mistake("\"m/{target}/{kernel}\"", "same"),
             Contains("t.csv:3:1: error: two rows are called \"same\"") && Contains("add a {COLUMN} to \"name\""));
  CHECK_THAT(mistake("\"{kernel}\"", "\"{note}\""), Contains("is neither a kernel nor the number of a launch"));
  CHECK_THAT(mistake("\"{parameters}\"", "\"{kernel}\""),
             Contains("t.csv:2:1: error: the parameter \"add\" of this row is not NAME=VALUE"));
  CHECK_THAT(mistake("us - 0.5", "us - 2.5"),
             Contains("t.csv:2:1: error: \"us - 2.5\" of this row is not a time") && Contains("a time is more than 0"));
  CHECK_THAT(mistake("us - 0.5", "us < 2"), Contains("is not a time"));
  CHECK_THAT(mistake("us - 0.5", "us / 0"), Contains("is not a time: "));
}

TEST_CASE("measured: the name of an entry can stand in expressions") {
  Diagnostics diagnostics;
  load_validation_table(std::make_shared<SourceText>("t.yaml", "source: S\nmeasured:\n  a-b: {csv: t.csv}\n"), "t",
                        diagnostics);
  CHECK_THAT(diagnostics.to_text(), Contains("t.yaml:3:3: error: \"a-b\" cannot be the name of measured launches"));
}

TEST_CASE("measured: a mistake in the CSV is shown at its cell") {
  const std::string head = "group,target,parameters,kernel,us,note\n";
  CHECK(csv_mistakes(head + "a,vecadd,,add,2.5us,\n") ==
        "t.csv:2:15: error: \"2.5us\" is not a number\n"
        "     2 | a,vecadd,,add,2.5us,\n"
        "       |               ^~~~~\n"
        "         hint: \"published\" of the table computes with the column \"us\"\n");
  CHECK_THAT(csv_mistakes(head + "a,vecadd,,add,,\n"), Contains("t.csv:2:1: error: \"\" is not a number"));
  CHECK_THAT(csv_mistakes(head + "a,vecadd,,add,2.5\n"),
             Contains("t.csv:2:1: error: a row of 5 cells, and there are 6 columns"));
  CHECK_THAT(csv_mistakes(head + "a,vecadd,,add,2.5,\"open\n"),
             Contains("t.csv:2:19: error: this quote has no end in its line"));
  CHECK_THAT(csv_mistakes("group,group\n"), Contains("t.csv:1:7: error: two columns are called \"group\""));
  CHECK_THAT(csv_mistakes("group,,us\n"), Contains("t.csv:1:1: error: a column has no name"));
  CHECK_THAT(csv_mistakes(""), Contains("a column has no name"));
  CHECK_THAT(csv_mistakes("\"group\n"), Contains("this quote has no end"));
  CHECK_THAT(csv_mistakes(head), Contains("t.csv has no such row"));
  CHECK_THAT(csv_mistakes(head + "a,vecadd,,a b,2.5,\n"), Contains("\"a b\" is neither a kernel nor"));
  CHECK_THAT(csv_mistakes(head + "a,vecadd,,a.b,2.5,\n"), Contains("\"a.b\" is neither a kernel nor"));
}

TEST_CASE("measured: a table has rows of its own, measured ones, or both") {
  Diagnostics diagnostics;
  load_validation_table(std::make_shared<SourceText>("t.yaml", "source: S\n"), "t", diagnostics);
  CHECK_THAT(diagnostics.to_text(), Contains("a validation table must have one of rows and measured"));
  MeasuredTable both(
      kEntry, kCsv,
      "runs: {a: {target: vecadd}}\nrows: {r: {published: 1, quantity: us, role: input, value: a.time_us}}\n");
  CHECK(both.mistakes().empty());
  CHECK(both.table().rows.size() == 3);
  CHECK(both.table().rows[0].launch.empty());
}

// Reading a table simulates nothing; the hold-out's launches are looked at once, at the end
// (validation/hopper/README.md).
TEST_CASE("measured: the shipped groups of the H200 have all launches, and run only if they are named") {
  ValidationTable both = shipped_measured("h200"), held_out = shipped_measured("h200-holdout");
  std::map<Role, size_t> roles;
  for (const ValidationRow& row : both.rows) ++roles[row.role];
  CHECK(roles == std::map<Role, size_t>{{Role::Predicted, 52}, {Role::Fitted, 101}});
  CHECK(held_out.rows.size() == 65);
  std::set<std::string> targets;
  for (const ValidationRun& run : both.runs) targets.insert(run.target);
  for (const ValidationRun& run : held_out.runs) CHECK(targets.count(run.target) == 0);
  for (const ValidationTable* table : {&both, &held_out}) {
    CHECK(table->only_if_named);
    for (const ValidationRun& run : table->runs)
      CHECK(run.conditions == std::vector<std::string>{"chip.caches_between_launches.l2=empty"});
  }
  for (const ValidationRow& row : held_out.rows) CHECK(row.role == Role::Predicted);
}

}  // namespace warptime::host
