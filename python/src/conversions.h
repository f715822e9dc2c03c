// Values of Python for C++, and texts back.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "python/src/kernel_call.h"

namespace warptime::python {

namespace py = pybind11;

/// Texts may hold bytes of the user's files that are not UTF-8.
py::str text(std::string_view bytes);

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

std::vector<std::byte> bytes_of(const py::bytes& value);
/// ("array", index) | ("buffer", (address, bytes)) | ("bytes", b"...") | ("int", "5") | ("float", 0.5) | ("u32", bits)
CallArgument argument_of(const py::tuple& given);
/// Blocks or threads: given[key] is a tuple (x, y, z).
host::Dim3 extents_of(const py::dict& given, const char* key);
std::shared_ptr<const SourceText> source(const std::string& name, const std::string& ptx);
/// What a kernel is, as warptime.Kernel has it.
py::dict description_of(const KernelDescription& row);

/// Polls Python's signals, and keeps what their handlers raise (KeyboardInterrupt, say) until the run has ended.
class Signals {
 public:
  /// True: one has raised. Without the interpreter's lock.
  bool poll() {
    py::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) raised_ = std::make_exception_ptr(py::error_already_set());
    return raised_ != nullptr;
  }
  /// Throws what was raised. With the interpreter's lock.
  void raise() {
    if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }

 private:
  std::exception_ptr raised_;
};

/// warptime.Device's C++ side.
void bind_device(py::module_& module);

}  // namespace warptime::python
