// warptime._core.Device: a device, with texts, numbers and memory only. What users see is in
// python/warptime/_device.py.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "base/printable.h"
#include "python/src/conversions.h"
#include "python/src/device_object.h"

namespace warptime::python {

namespace {

class PythonDevice {
 public:
  explicit PythonDevice(std::vector<std::string> words)
      : device_(std::move(words), [this] { return signals_.poll(); }) {}

  /// Without the interpreter's lock; what a signal's handler raises ends the call.
  template <class Work>
  auto call(const Work& work) {
    using Result = decltype(work(device_));
    std::exception_ptr thrown;
    std::optional<std::conditional_t<std::is_void_v<Result>, bool, Result>> result;
    {
      py::gil_scoped_release released;
      try {
        if constexpr (std::is_void_v<Result>) work(device_);
        else result.emplace(work(device_));
      } catch (...) {
        thrown = std::current_exception();
      }
    }
    signals_.raise();
    if (thrown) std::rethrow_exception(thrown);
    if constexpr (!std::is_void_v<Result>) return std::move(*result);
  }
  template <class Work>
  auto use(const Work& work) {
    return call([&](DeviceObject& device) { return device.use(work); });
  }

 private:
  Signals signals_;
  DeviceObject device_;
};

DeviceLaunch launch_of(const py::dict& given) {
  DeviceLaunch launch;
  launch.module = given["module"].cast<size_t>();
  launch.kernel = given["kernel"].cast<std::string>();
  launch.grid = extents_of(given, "grid");
  launch.block = extents_of(given, "block");
  launch.options.dynamic_shared_bytes = given["shared"].cast<uint32_t>();
  launch.options.registers_per_thread = given["registers"].cast<uint32_t>();
  launch.options.stream.id = given["stream"].cast<uint32_t>();
  for (const py::handle& argument : given["args"]) launch.arguments.push_back(argument_of(argument.cast<py::tuple>()));
  return launch;
}

host::CopyOptions copy_options(uint32_t stream) { return {.pinned = false, .asynchronous = false, .stream = {stream}}; }

}  // namespace

void bind_device(py::module_& module) {
  using Device = PythonDevice;
  py::class_<Device>(module, "Device")
      .def(py::init<std::vector<std::string>>())
      .def("allocate",
           [](Device& self, uint64_t bytes, const std::string& name) {
             return self.use([&](host::Device& device) { return device.allocate_bytes(bytes, name).address; });
           })
      .def("free",
           [](Device& self, uint64_t address) { self.use([&](host::Device& device) {
                                                  device.free({address, 0});
                                                }); })
      .def("copy_in",
           [](Device& self, uint64_t to, const py::object& from, const std::string& name, uint32_t stream) {
             const PinnedMemory memory(from, false);
             self.use([&](host::Device& device) {
               device.copy_to_bytes({to, memory.bytes().size()}, memory.bytes(), name, 0, copy_options(stream));
             });
           })
      .def("copy_out",
           [](Device& self, const py::object& to, uint64_t from, const std::string& name, uint32_t stream) {
             const PinnedMemory memory(to, true);
             self.call([&](DeviceObject& device) { device.read(memory.bytes(), from, name, copy_options(stream)); });
           })
      .def("copy",
           [](Device& self, uint64_t to, uint64_t from, uint64_t bytes, const std::string& name, uint32_t stream) {
             self.use([&](host::Device& device) {
               device.copy_on_device({to, bytes}, {from, bytes}, bytes, name,
                                     {.to_offset = 0, .from_offset = 0, .stream = {stream}});
             });
           })
      .def("fill",
           [](Device& self, uint64_t to, uint8_t value, uint64_t bytes, const std::string& name, uint32_t stream) {
             self.use([&](host::Device& device) {
               device.fill_bytes({to, bytes}, value, bytes, name, {.offset = 0, .stream = {stream}});
             });
           })
      .def("load",
           [](Device& self, const std::string& name, const std::string& ptx, const std::string& kernel) {
             return self.call([&](DeviceObject& device) { return device.load(source(name, ptx), kernel); });
           })
      .def("kernels",
           [](Device& self, size_t number) {
             auto rows = self.call([&](DeviceObject& device) { return kernels_of(device.source_of(number)); });
             py::list out;
             for (const KernelDescription& row : rows) out.append(description_of(row));
             return out;
           })
      .def("set_symbol",
           [](Device& self, size_t number, const std::string& symbol, const py::bytes& value) {
             const std::vector<std::byte> bytes = bytes_of(value);
             self.call([&](DeviceObject& device) { device.set_symbol(number, symbol, bytes); });
           })
      .def("launch",
           [](Device& self, const py::dict& given) {
             const DeviceLaunch launch = launch_of(given);
             self.call([&](DeviceObject& device) { device.launch(launch); });
           })
      .def("stream",
           [](Device& self) { return self.use([](host::Device& device) { return device.create_stream().id; }); })
      .def("record",
           [](Device& self, uint32_t stream) {
             return self.use([&](host::Device& device) { return device.record_event({stream}).when_us; });
           })
      .def("wait", [](Device& self, uint32_t stream,
                      double when) { self.use([&](host::Device& device) { device.wait_event({stream}, {when}); }); })
      .def("synchronize",
           [](Device& self, std::optional<uint32_t> stream) {
             self.use([&](host::Device& device) {
               if (stream) device.synchronize(host::Stream{*stream});
               else device.synchronize();
             });
           })
      .def("now", [](Device& self) { return self.use([](host::Device& device) { return device.now_us(); }); })
      .def("launches", [](Device& self) { return self.call([](DeviceObject& device) { return device.launches(); }); })
      .def("statistics",
           [](Device& self, std::optional<size_t> launch) {
             return text(self.call([&](DeviceObject& device) { return device.statistics(launch); }));
           })
      .def("take_printed",
           [](Device& self) { return text(self.call([](DeviceObject& device) { return device.take_printed(); })); })
      .def("take_warnings", [](Device& self) {
        return text(printable(self.call([](DeviceObject& device) { return device.take_warnings(); }), true));
      });
}

}  // namespace warptime::python
