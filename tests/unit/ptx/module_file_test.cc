#include "ptx/module_file.h"

#include <catch2/catch.hpp>

namespace warptime::ptx {
namespace {

std::shared_ptr<const SourceText> text(std::string content) {
  return std::make_shared<SourceText>("f.ptx", std::move(content));
}

const std::string kTwo =
    "Fatbin ptx code:\n====\n\n.version 9.0\n.target sm_75\n.entry k() { ret; }\n"
    "Fatbin ptx code:\n====\n.version 9.0\n.target sm_80, debug\n.entry k() { ret; }\n.entry other() { ret; }\n";

}  // namespace

TEST_CASE("a file of PTX is one module, and stays as it is", "[ptx]") {
  auto file = text("// .version\n/* x */ .version 9.0\n.target sm_75\n.version 9.0\n");
  CHECK(modules_in(*file).size() == 1);
  Diagnostics diagnostics;
  CHECK(choose_module(file, {}, {}, diagnostics) == file);
  CHECK(modules_in(*text("no PTX at all\n")).size() == 1);
  CHECK(modules_in(*text("")).size() == 1);
}

TEST_CASE("the modules of cuobjdump's output have their targets, kernels and lines", "[ptx]") {
  auto file = text(kTwo);
  std::vector<ModuleInFile> modules = modules_in(*file);
  REQUIRE(modules.size() == 2);
  CHECK(modules[0].target == "sm_75");
  CHECK(modules[0].line == 4);
  CHECK(modules[1].target == "sm_80");
  CHECK(modules[1].kernels == std::vector<std::string_view>{"k", "other"});
  auto second = text_of(file, modules[1]);
  CHECK(second->text().size() == file->text().size());
  CHECK(second->line(9) == ".version 9.0");
  CHECK(second->line(4).find_first_not_of(' ') == std::string_view::npos);
}

TEST_CASE("kernels, a target or a line choose a module", "[ptx]") {
  auto line_of = [](std::vector<KernelChoice> wanted) {
    Diagnostics diagnostics;
    auto chosen = choose_module(text(kTwo), wanted, {}, diagnostics);
    if (chosen == nullptr) return diagnostics.to_text();
    return std::to_string(chosen->text().find(".version") < 40 ? 4 : 9);
  };
  CHECK(line_of({{"other", ""}}) == "9");
  CHECK(line_of({{"k", ""}, {"other", ""}}) == "9");
  CHECK(line_of({parse_kernel_choice("k@sm_75")}) == "4");
  CHECK(line_of({parse_kernel_choice("@sm_80")}) == "9");
  CHECK(line_of({parse_kernel_choice("k@4")}) == "4");
  CHECK(line_of({{"k", ""}}) ==
        "error: \"f.ptx\" holds 2 modules with kernel \"k\": sm_75 (line 4), sm_80 (line 9); which one?\n"
        "         hint: name the kernel and its module: k@sm_75 or k@sm_80\n");
  CHECK(line_of({{"nothing", ""}}) ==
        "error: no module of \"f.ptx\" has kernel \"nothing\" as asked\n"
        "         hint: it holds 2 modules: sm_75 (line 4), sm_80 (line 9)\n");
}

}  // namespace warptime::ptx
