#include "host/validation/validation_form.h"

#include "host/validation/measured_rows.h"
#include "host/validation/validation.h"

namespace warptime::host {

using yaml::Form;
using yaml::KeyRule;

namespace {

using FormKind = Form::Kind;

const Form kTableText{.kind = FormKind::Text};
const Form kTableScalar{.kind = FormKind::Scalar};
const Form kTableExpression{.kind = FormKind::Expression};
const Form kTimeUnit{.kind = FormKind::Word, .words = {kTimeUnits.begin(), kTimeUnits.end()}};
const Form kRole{.kind = FormKind::Word, .words = {kRoles.begin(), kRoles.end()}};
const Form kAssignments{.kind = FormKind::Names, .of = &kTableScalar};

Form cpu_form() {
  static const Form code{.kind = FormKind::Word, .words = {"scalar", "simd"}};
  static const Form share{.kind = FormKind::Number, .check = range(0.001, 1)};
  return {.kind = FormKind::Map,
          .fields = {{"processor", &kTableText, "a processor of configs/ (cpu-NAME) or a file", true},
                     {"code", &code, "compiled scalar code, or SIMD with fast math", true},
                     {"kernel_share", &share, "of the application's CPU time", false, "1"}},
          .name = "A CPU baseline"};
}

Form run_form(const ValidationForms& forms) {
  return {.kind = FormKind::Map,
          .fields = {{"target", &kTableText, "a workload, NAME:VARIANT, or a launch file (.yaml) relative to this file",
                      true},
                     {"param", &kAssignments, "the target's parameters, as --param sets them"},
                     {"machine", &kTableText, "a machine of configs/ or a file", false, "geforce-8800-gtx"},
                     {"set", &kAssignments, "parameters of the machine, as --set sets them"},
                     {"cpu", &forms.cpu, "the processor that the run is compared with"}},
          .name = "A run"};
}

Form row_form() {
  static const Form sample{.kind = FormKind::Number};
  static const Form samples{.kind = FormKind::List, .least = 2, .of = &sample};
  static const Form published{.kind = FormKind::Choice, .choices = {&kTableScalar, &samples}};
  return {
      .kind = FormKind::Map,
      .fields = {{"published", &published,
                  "the published figure: a number that is not 0, `100 +- 5` with its uncertainty, a range `90..110`, "
                  "samples (their mean and standard deviation), or a text",
                  true},
                 {"quantity", &kTableText, "its unit or name; rows of one quantity are summarized together", true},
                 {"role", &kRole, "what the row says about the model", true},
                 {"value", &kTableExpression,
                  "an expression over figures of the runs, RUN.NAME: a figure of the program, a number of `total`, or "
                  "any other path in the statistics",
                  true},
                 {"source", &kTableText, "where it was published; needed without a `source` of the file"},
                 {"note", &kTableText, "for the reader of a report"}},
      .name = "A row"};
}

Form figure_form() {
  static const Form least{.kind = FormKind::Number};
  return {.kind = FormKind::Map,
          .fields = {{"value", &kTableText,
                      "an expression over figures of the launch in `--stats` (`dram.read_bytes / 1e6`)", true},
                     {"quantity", &kTableText, "what it is, and `published`", true},
                     {"at_least", &least, "rows with less published are left out, as are those with 0", false, "0"}},
          .name = "A figure"};
}

Form measured_form(const ValidationForms& forms) {
  static const Form roles{.kind = FormKind::Names, .of = &kRole};
  static const Form notes{.kind = FormKind::Names, .of = &kTableText};
  return {.kind = FormKind::Map,
          .fields = {{"csv", &kTableText,
                      "a CSV with the names of its columns in the first line and a launch in each "
                      "other one; relative to this file",
                      true},
                     {"where", &kAssignments, "columns and their cells: rows with others are left out"},
                     {"name", &kTableText, "of the table's row; {COLUMN} is the cell, as in the next three", true},
                     {"target", &kTableText, "as of a run", true},
                     {"param", &kTableText, "the target's parameters, NAME=VALUE with blanks between them"},
                     {"launch", &kTableScalar,
                      "the kernel whose first launch it is, or the number of the launch, from 0", true},
                     {"published", &kTableExpression,
                      "an expression over columns: the time of the launch in `quantity`, or its `figure`", true},
                     {"quantity", &kTimeUnit, "unit of the time", false, "us"},
                     {"figure", &forms.figure, "of the launch, instead of its time"},
                     {"machine", &kTableText, "as of a run", false, "geforce-8800-gtx"},
                     {"conditions", &kAssignments,
                      "parameters of the machine that say how the launches were measured, not what the machine is: a "
                      "row keeps its role"},
                     {"role", &kRole, "what the rows say about the model", true},
                     {"roles", &roles, "other roles, by the names of rows"},
                     {"notes", &notes, "for the reader of a report, by the names of rows"},
                     {"source", &kTableText, "who measured; needed without a `source` of the file"}},
          .name = "Measured launches"};
}

Form table_form(const ValidationForms& forms) {
  static const Form runs{.kind = FormKind::Names, .plain_names = true, .of = &forms.run};
  static const Form measured{.kind = FormKind::Names, .plain_names = true, .of = &forms.measured};
  static const Form named{.kind = FormKind::Boolean};
  static const Form rows{.kind = FormKind::Names, .of = &forms.row};
  return {
      .kind = FormKind::Map,
      .fields = {{"source", &kTableText, "where the rows were published that name no other source"},
                 {"only_if_named", &named, "`warptime validate` without a GROUP leaves this one out", false, "false"},
                 {"runs", &runs, "what is simulated, by name"},
                 {"rows", &rows, "published figures, by name"},
                 {"measured", &measured, "rows and their runs from a CSV of measured launches, by name"}},
      .rules = {{KeyRule::Kind::Together, {"runs", "rows"}}, {KeyRule::Kind::AtLeastOne, {"rows", "measured"}}},
      .name = "The file"};
}

}  // namespace

const ValidationForms& validation_forms() {
  // The forms refer to each other: each is filled in its place.
  static ValidationForms forms;
  static const bool filled = [] {
    forms.cpu = cpu_form();
    forms.run = run_form(forms);
    forms.row = row_form();
    forms.figure = figure_form();
    forms.measured = measured_form(forms);
    forms.file = table_form(forms);
    return true;
  }();
  (void)filled;
  return forms;
}

}  // namespace warptime::host
