// The extension module warptime._core: the C++ side of the Python package, with texts and numbers only. What users see
// (names, results, exceptions) is in python/warptime/.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <optional>

#include "base/printable.h"
#include "cli/cli.h"
#include "cli/home.h"
#include "cli/list/catalogue.h"
#include "cli/list/workload_list.h"
#include "host/report/report.h"
#include "nlohmann/json.hpp"
#include "python/src/conversions.h"
#include "python/src/machine_object.h"
#include "python/src/module_run.h"

namespace warptime::python {

namespace {

/// The call that Python describes as a dictionary; its arrays are pinned as long as `pinned`.
KernelCall call_of(const py::dict& given, std::vector<std::unique_ptr<PinnedMemory>>& pinned) {
  KernelCall call;
  call.module = source(given["name"].cast<std::string>(), given["ptx"].cast<std::string>());
  call.kernel = given["kernel"].cast<std::string>();
  call.grid = extents_of(given, "grid");
  call.block = extents_of(given, "block");
  call.shared_bytes = given["shared"].cast<uint32_t>();
  call.registers = given["registers"].cast<uint32_t>();
  for (const py::handle& argument : given["args"]) call.arguments.push_back(argument_of(argument.cast<py::tuple>()));
  for (const py::handle& array : given["arrays"]) {
    auto [name, object, writable] = array.cast<std::tuple<std::string, py::object, bool>>();
    pinned.push_back(std::make_unique<PinnedMemory>(object, writable));
    call.arrays.push_back({name, pinned.back()->bytes(), writable});
  }
  for (const py::handle& symbol : given["symbols"]) {
    auto [name, bytes] = symbol.cast<std::tuple<std::string, py::bytes>>();
    call.symbols.emplace_back(name, bytes_of(bytes));
  }
  return call;
}

py::dict run_words(std::vector<std::string> words, const std::optional<py::dict>& call) {
  std::vector<std::unique_ptr<PinnedMemory>> pinned;
  RunRequest request{.words = std::move(words), .call = {}, .interrupted = {}};
  if (call) request.call = call_of(*call, pinned);
  Signals signals;
  request.interrupted = [&signals] { return signals.poll(); };
  RunOutcome outcome;
  {
    py::gil_scoped_release released;
    outcome = run(std::move(request));
  }
  signals.raise();
  py::dict out;
  out["statistics"] = text(outcome.statistics);
  out["warnings"] = text(printable(outcome.warnings, true));
  out["printed"] = text(outcome.printed);
  out["failures"] = text(printable(outcome.failures, true));
  out["fault"] = text(printable(outcome.fault, true));
  return out;
}

/// The file's bytes, with the checks and the errors of the command line: no device, no folder, no pipe without end.
py::bytes read_file(const std::string& path) {
  std::shared_ptr<const SourceText> file;
  {
    py::gil_scoped_release released;
    file = cli::read_file({path, {}});
  }
  return {file->text().data(), file->text().size()};
}

py::list parameters() {
  py::list out;
  for (const auto& row : cli::list_parameters().rows)
    out.append(py::make_tuple(row[0], row[1], row[3], row[4], row[5]));
  return out;
}

py::list kernels(const std::string& name, const std::string& ptx) {
  std::vector<KernelDescription> rows;
  {
    py::gil_scoped_release released;
    rows = kernels_of(source(name, ptx));
  }
  py::list out;
  for (const KernelDescription& row : rows) out.append(description_of(row));
  return out;
}

void raise(const char* type, const char* what) {
  const py::object error = py::module_::import("warptime._errors").attr(type);
  PyErr_SetObject(error.ptr(), text(printable(what, true)).ptr());
}

/// Input errors become warptime.Error, faults warptime.Fault, with their texts; what else C++ throws keeps pybind11's
/// translation.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const host::InputError& error) {
    raise("Error", error.what());
  } catch (const host::FaultError& error) {
    raise("Fault", error.what());
  }
}

}  // namespace

}  // namespace warptime::python

PYBIND11_MODULE(_core, module) {
  using namespace warptime;
  using namespace warptime::python;
  py::register_exception_translator(translate);
  module.def("set_home", &cli::set_home);
  module.def("version", [] { return std::string(host::version()); });
  module.def("main", [](std::vector<std::string> words) {
    py::gil_scoped_release released;
    return cli::run(std::move(words));
  });
  module.def("run", &run_words, py::arg("words"), py::arg("call") = py::none());
  module.def("kernels", &kernels);
  module.def("read_file", &read_file);
  module.def("parameters", &parameters);
  module.def("machines", [] {
    py::list out;
    for (const auto& row : cli::list_machines().rows) out.append(py::make_tuple(text(row[0]), text(row[1])));
    return out;
  });
  module.def("workloads", [] { return text(cli::workloads_json().dump()); });
  py::class_<MachineObject>(module, "Machine")
      .def(py::init<std::string>())
      .def(py::init<const MachineObject&>())
      .def_property_readonly("given", &MachineObject::given)
      .def_property_readonly("name", [](const MachineObject& machine) { return text(machine.name()); })
      .def_property_readonly("settings", &MachineObject::settings)
      .def_property_readonly("hash", &MachineObject::hash)
      .def("set", &MachineObject::set)
      .def("get", &MachineObject::get)
      .def("yaml", [](const MachineObject& machine) { return text(machine.yaml()); });
  bind_device(module);
}
