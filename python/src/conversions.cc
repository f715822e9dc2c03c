#include "python/src/conversions.h"

#include <pybind11/stl.h>

#include "base/printable.h"
#include "host/device/typed_value.h"

namespace warptime::python {

py::str text(std::string_view bytes) {
  PyObject* decoded = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

std::vector<std::byte> bytes_of(const py::bytes& value) {
  auto view = static_cast<std::string_view>(value);
  auto bytes = std::as_bytes(std::span(view));
  return {bytes.begin(), bytes.end()};
}

namespace {

ptx::Type type_of(const std::string& name) {
  auto type = host::value_type(name);
  if (!type) throw py::value_error(fmt::format("\"{}\" is not a type of an argument", name));
  return *type;
}

}  // namespace

CallArgument argument_of(const py::tuple& given) {
  auto kind = given[0].cast<std::string>();
  if (kind == "array") return ArrayIndex{given[1].cast<size_t>()};
  if (kind == "buffer") {
    auto [address, bytes] = given[1].cast<std::tuple<uint64_t, uint64_t>>();
    return host::Buffer{address, bytes};
  }
  if (kind == "bytes") return bytes_of(given[1].cast<py::bytes>());
  if (kind == "int") return Number{given[1].cast<std::string>()};
  if (kind == "float") return Number{given[1].cast<double>()};
  return TypedNumber{type_of(kind), given[1].cast<uint64_t>()};
}

host::Dim3 extents_of(const py::dict& given, const char* key) {
  auto [x, y, z] = given[key].cast<std::tuple<uint32_t, uint32_t, uint32_t>>();
  return {x, y, z};
}

std::shared_ptr<const SourceText> source(const std::string& name, const std::string& ptx) {
  return std::make_shared<SourceText>(name, ptx);
}

py::dict description_of(const KernelDescription& row) {
  py::list arguments;
  for (const auto& [parameter, type] : row.parameters) arguments.append(py::make_tuple(text(parameter), type));
  py::dict entry;
  entry["name"] = text(row.name);
  entry["parameters"] = arguments;
  entry["registers"] = row.registers;
  entry["shared_bytes"] = row.shared_bytes;
  entry["local_bytes"] = row.local_bytes;
  entry["unsupported"] = text(printable(row.unsupported, true));
  return entry;
}

}  // namespace warptime::python
