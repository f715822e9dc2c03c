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
#include "host/device/typed_value.h"
#include "host/report/report.h"
#include "nlohmann/json.hpp"
#include "python/src/machine_object.h"
#include "python/src/module_run.h"

namespace py = pybind11;

namespace warptime::python {

namespace {

/// Texts may hold bytes of the user's files that are not UTF-8.
py::str text(std::string_view bytes) {
  PyObject* decoded = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

/// The memory of an object with the buffer protocol, which stays where it is meanwhile.
class PinnedMemory {
 public:
  PinnedMemory(const py::handle& object, bool writable) {
    if (PyObject_GetBuffer(object.ptr(), &view_, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0)
      throw py::error_already_set();
  }
  ~PinnedMemory() { PyBuffer_Release(&view_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(view_.buf), static_cast<size_t>(view_.len)}; }

 private:
  Py_buffer view_{};
};

std::vector<std::byte> bytes_of(const py::bytes& value) {
  auto view = static_cast<std::string_view>(value);
  auto bytes = std::as_bytes(std::span(view));
  return {bytes.begin(), bytes.end()};
}

ptx::Type type_of(const std::string& name) {
  auto type = host::value_type(name);
  if (!type) throw py::value_error(fmt::format("\"{}\" is not a type of an argument", name));
  return *type;
}

/// ("array", index) | ("bytes", b"...") | ("int", "5") | ("float", 0.5) | ("u32", bits)
CallArgument argument_of(const py::tuple& given) {
  auto kind = given[0].cast<std::string>();
  if (kind == "array") return ArrayIndex{given[1].cast<size_t>()};
  if (kind == "bytes") return bytes_of(given[1].cast<py::bytes>());
  if (kind == "int") return Number{given[1].cast<std::string>()};
  if (kind == "float") return Number{given[1].cast<double>()};
  return TypedNumber{type_of(kind), given[1].cast<uint64_t>()};
}

std::shared_ptr<const SourceText> source(const std::string& name, const std::string& ptx) {
  return std::make_shared<SourceText>(name, ptx);
}

/// The call that Python describes as a dictionary; its arrays are pinned as long as `pinned`.
KernelCall call_of(const py::dict& given, std::vector<std::unique_ptr<PinnedMemory>>& pinned) {
  KernelCall call;
  call.module = source(given["name"].cast<std::string>(), given["ptx"].cast<std::string>());
  call.kernel = given["kernel"].cast<std::string>();
  auto extents = [&](const char* key) {
    auto [x, y, z] = given[key].cast<std::tuple<uint32_t, uint32_t, uint32_t>>();
    return host::Dim3{x, y, z};
  };
  call.grid = extents("grid");
  call.block = extents("block");
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
  // What a signal's handler raised (KeyboardInterrupt, say), until the run has ended.
  std::exception_ptr raised;
  request.interrupted = [&raised] {
    py::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) raised = std::make_exception_ptr(py::error_already_set());
    return raised != nullptr;
  };
  RunOutcome outcome;
  {
    py::gil_scoped_release released;
    outcome = run(std::move(request));
  }
  if (raised) std::rethrow_exception(raised);
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
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
  for (const KernelDescription& row : rows) {
    py::list arguments;
    for (const auto& [parameter, type] : row.parameters) arguments.append(py::make_tuple(text(parameter), type));
    py::dict entry;
    entry["name"] = text(row.name);
    entry["parameters"] = arguments;
    entry["registers"] = row.registers;
    entry["shared_bytes"] = row.shared_bytes;
    entry["local_bytes"] = row.local_bytes;
    entry["unsupported"] = text(printable(row.unsupported, true));
    out.append(entry);
  }
  return out;
}

/// Input errors become warptime.Error with their text; what else C++ throws keeps pybind11's translation.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const host::InputError& error) {
    py::object type = py::module_::import("warptime._errors").attr("Error");
    PyErr_SetObject(type.ptr(), text(printable(error.what(), true)).ptr());
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
}
