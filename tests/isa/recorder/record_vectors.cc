// Records golden vectors on an NVIDIA GPU: record_vectors FILE [KNOWN...]. Forms that the files KNOWN hold are left
// out, so that new forms get a file of their own. It needs the driver's library only, which is opened at run time, so
// it is built everywhere. Forms go to the driver's compiler in modules of many kernels; where one is refused, the
// kernels of its module are tried one by one and the refused ones are kept with the compiler's message.
//
//   record_vectors --ptx FIRST COUNT   prints the module of these forms instead
#include <fmt/format.h>

#include <span>

#include "cuda_driver.h"
#include "isa/vector_file.h"
#include "isa/vector_forms.h"

namespace warptime::sim {

namespace {

class Recorder {
 public:
  Recorder() {
    Driver::check(cuda_.allocate(&operands_, size_t{kVectorLanes} * 8 * 8), "cuMemAlloc");
    Driver::check(cuda_.allocate(&results_, size_t{kVectorLanes} * kVectorStride), "cuMemAlloc");
  }
  std::string origin() {
    return fmt::format("{}PTX: 9.0 for sm_90; vote and shfl without .sync: 6.0 for sm_60\nLanes: {} a form\n",
                       cuda_.origin(), kVectorLanes);
  }
  /// Records all of them, or returns the compiler's message.
  std::string record(std::span<const VectorForm> forms, size_t first, VectorFile& file) {
    std::string text = vector_module(forms, first), log(8192, '\0');
    int options[] = {5, 6};  // CU_JIT_ERROR_LOG_BUFFER and its size
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    void* module = nullptr;
    if (cuda_.load(&module, text.c_str(), 2, options, values) != 0) return one_line(log.c_str());
    for (const VectorForm& form : forms) run(module, fmt::format("k{}", first++), form, file.forms[form.text]);
    Driver::check(cuda_.unload(module), "cuModuleUnload");
    return {};
  }

 private:
  void run(void* module, const std::string& kernel, const VectorForm& form, RecordedForm& recorded) {
    std::vector<uint64_t> operands = vector_operands(form);
    void* function = nullptr;
    Driver::check(cuda_.function(&function, module, kernel.c_str()), "cuModuleGetFunction");
    Driver::check(cuda_.to_device(operands_, operands.data(), operands.size() * 8), "cuMemcpyHtoD");
    Driver::check(cuda_.fill(results_, 0, size_t{kVectorLanes} * kVectorStride), "cuMemsetD8");
    void* arguments[] = {&operands_, &results_};
    Driver::check(
        cuda_.launch(function, kVectorLanes / kVectorBlock, 1, 1, kVectorBlock, 1, 1, 0, nullptr, arguments, nullptr),
        form.text);
    Driver::check(cuda_.synchronize(), form.text);
    std::vector<std::byte> output(size_t{kVectorLanes} * kVectorStride);
    Driver::check(cuda_.to_host(output.data(), results_, output.size()), form.text);
    recorded.bytes = packed(form, output);
  }

  Driver cuda_;
  Driver::Pointer operands_ = 0, results_ = 0;
};

int record_all(const std::string& path, std::span<char*> known_paths) {
  std::vector<VectorForm> forms = vector_forms();
  for (const char* known_path : known_paths) {
    if (path == known_path) Driver::fail(path + " would be overwritten");
    VectorFile known = read_vectors(known_path);
    std::erase_if(forms, [&](const VectorForm& form) { return known.forms.contains(form.text); });
  }
  Recorder recorder;
  VectorFile file;
  file.origin = recorder.origin();
  constexpr size_t kPerModule = 128;
  size_t refused = 0;
  for (size_t first = 0, next = 0; first < forms.size(); first = next) {
    while (next < forms.size() && next - first < kPerModule &&
           forms[next].unsynchronized == forms[first].unsynchronized)
      ++next;
    std::span<const VectorForm> some(forms.data() + first, next - first);
    if (recorder.record(some, first, file).empty()) continue;
    for (size_t i = 0; i < some.size(); ++i) {
      std::string message = recorder.record(some.subspan(i, 1), first + i, file);
      if (message.empty()) continue;
      file.forms[some[i].text].refusal = message;
      ++refused;
    }
  }
  fmt::print("{}{} forms of {} lanes, {} refused\n", file.origin, forms.size(), kVectorLanes, refused);
  if (!write_vectors(path, file)) Driver::fail("cannot write " + path);
  return 0;
}

}  // namespace

}  // namespace warptime::sim

int main(int count, char** arguments) {
  using namespace warptime::sim;
  if (count == 4 && std::string_view(arguments[1]) == "--ptx") {
    std::vector<VectorForm> forms = vector_forms();
    size_t first = std::min(forms.size(), static_cast<size_t>(std::atoll(arguments[2])));
    size_t size = std::min(forms.size() - first, static_cast<size_t>(std::atoll(arguments[3])));
    fmt::print("{}", vector_module(std::span(forms).subspan(first, size), first));
    return 0;
  }
  if (count >= 2) return record_all(arguments[1], std::span(arguments, static_cast<size_t>(count)).subspan(2));
  fmt::print(stderr, "usage: record_vectors FILE [KNOWN...] | record_vectors --ptx FIRST COUNT\n");
  return 2;
}
