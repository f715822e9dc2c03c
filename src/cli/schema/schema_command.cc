// `warptime schema launch|machine|processor|validation`: the form of a file as JSON Schema, or as its reference page,
// from the tables that the readers use.
#include <array>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "cli/output.h"
#include "host/launch_file/launch_form.h"
#include "host/schema/json_schema.h"
#include "host/schema/machine_form.h"
#include "host/schema/reference_page.h"
#include "host/validation/validation_form.h"

namespace warptime::cli {

namespace {

struct FileKind {
  std::string_view name, title, page, introduction;
  const yaml::Form& (*form)();
};

const std::array kFileKinds{
    FileKind{
        "launch", "warptime launch file", "Launch file",
        "A launch file describes buffers and the launches of kernels on them; `warptime run FILE.yaml` runs it, and "
        "so\n"
        "does every other command that takes a target.\n"
        "\n"
        "Where a table says \"or an expression\", the value may be computed from the file's parameters: numbers, "
        "names,\n"
        "`+ - * / % ^`, parentheses, and `ceil`, `floor`, `round`, `abs`, `sqrt`, `log2`, `min(a, b)`, `max(a, b)`.\n"
        "All numbers are double (`7 / 2` is 3.5), and a field that takes a whole number refuses any other. A number\n"
        "that is written out is not computed: it keeps all digits of its type.\n",
        []() -> const yaml::Form& { return host::launch_forms().file; }},
    FileKind{
        "machine", "warptime machine file", "Machine file",
        "A machine file has the parameters that differ from those of the machine that it `extends`; without it, from\n"
        "the defaults below. `warptime machine show FILE` prints all values with their origins, `--set PATH=VALUE` "
        "sets\n"
        "one for a run. The sections of the file are the headings below: `sm.shared` is `shared:` in `sm:`.\n",
        host::machine_form},
    FileKind{"processor", "warptime processor file", "Processor file",
             "A processor file describes a processor of the CPU baseline (`configs/cpu-*.yaml`), as a machine file "
             "does a GPU.\n",
             host::processor_form},
    FileKind{"validation", "warptime validation table", "Validation table",
             "A validation table has published figures and the runs that simulate them; `warptime validate FILE.yaml` "
             "compares\n"
             "them. Values of rows are expressions as in a [launch file](launch-file.md), over the figures of runs\n"
             "(`RUN.time_us`); one `<` or `>` gives the text \"true\" or \"false\".\n",
             []() -> const yaml::Form& { return host::validation_forms().file; }},
};

const Command& describe_schema() {
  static const Command command{
      .name = "schema",
      .usage = "launch|machine|processor|validation [options]",
      .summary = "the form of a kind of file as JSON Schema, for editors",
      .details =
          "The schema follows the tables that the program itself reads such files by. An editor with a YAML language\n"
          "server completes and checks a file whose first line is\n"
          "  # yaml-language-server: $schema=launch.schema.json\n",
      .options = {{"output", Option::Kind::Value, Takes::file("FILE"), "write to FILE instead of standard output"},
                  {"markdown", Option::Kind::Flag, "", "the reference page (docs/reference/) instead"}},
      .unavailable = {},
      .examples = {"warptime schema launch", "warptime schema machine --output machine.schema.json"},
      .min_words = 1,
      .max_words = 1,
      .word_name = "kind of file"};
  return command;
}

/// How editors come to the schema, the same for all kinds.
std::string editor_note(const FileKind& kind) {
  return fmt::format(
      "\nThis page is printed by `warptime schema {0} --markdown`, from the tables that the reader uses. `warptime "
      "schema {0}`\n"
      "prints the same as JSON Schema (draft 7). An editor with a YAML language server (VS Code with its YAML "
      "extension,\n"
      "Neovim, Emacs, Kate) completes and checks a file that begins with this line, the schema lying beside it:\n"
      "\n"
      "```yaml\n"
      "# yaml-language-server: $schema={0}.schema.json\n"
      "```\n",
      kind.name);
}

int execute_schema(const Arguments& arguments) {
  const ArgumentText& word = arguments.words().front();
  std::vector<std::string_view> known;
  for (const FileKind& kind : kFileKinds) {
    known.push_back(kind.name);
    if (kind.name != word.text) continue;
    std::string text =
        arguments.has("markdown")
            ? host::reference_page(kind.form(), kind.page, std::string(kind.introduction) + editor_note(kind))
            : json_text(host::json_schema(kind.form(), kind.title));
    if (auto file = arguments.value("output")) {
      Output out(*file, "--output", arguments);
      out.write_all(text);
    } else {
      print(text);
    }
    return kDone;
  }
  auto near = nearest(word.text, known);
  fail(word.where, fmt::format("there is no schema of \"{}\"", word.text),
       near ? fmt::format("did you mean \"{}\"?", *near) : fmt::format("available: {}", fmt::join(known, ", ")));
}

}  // namespace

Entry schema_command() { return {describe_schema, execute_schema}; }

}  // namespace warptime::cli
