// Records what an NVIDIA GPU of compute capability 9.0 makes of wgmma: record_wgmma FILE [VALUES]. FILE gets a number
// for each block of each form (wgmma_hashes), and VALUES the results of those with few columns. It needs the driver's
// library only. Each form is a module of its own; one that the driver's compiler refuses is kept with its message.
//
//   record_wgmma --places FILE   which bytes of shared memory descriptors mean, by the forms of wgmma_place_forms
//   record_wgmma --ptx           prints the module of all forms instead
#include <fmt/format.h>

#include "cuda_driver.h"
#include "isa/vector_file.h"
#include "isa/wgmma_forms.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kColumnsShown = 8;  // of forms whose values are kept

std::string bytes_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The results of a form, or the compiler's message.
std::string record(const Driver& cuda, const WgmmaForm& form, std::vector<std::byte>& results) {
  const std::string text = wgmma_module({&form, 1}, 0);
  std::string log(8192, '\0');
  int options[] = {5, 6};  // CU_JIT_ERROR_LOG_BUFFER and its size
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  void* module = nullptr;
  if (cuda.load(&module, text.c_str(), 2, options, values) != 0) return one_line(log.c_str());
  const std::vector<std::byte> operands = wgmma_operands(form);
  results.resize(wgmma_result_bytes(form));
  Driver::Pointer in = 0, out = 0;
  void* function = nullptr;
  Driver::check(cuda.function(&function, module, "k0"), "cuModuleGetFunction");
  Driver::check(cuda.allocate(&in, operands.size()), "cuMemAlloc");
  Driver::check(cuda.allocate(&out, results.size()), "cuMemAlloc");
  Driver::check(cuda.to_device(in, operands.data(), operands.size()), "cuMemcpyHtoD");
  Driver::check(cuda.fill(out, 0, results.size()), "cuMemsetD8");
  void* arguments[] = {&in, &out};
  Driver::check(cuda.launch(function, kWgmmaBlocks, 1, 1, kWgmmaThreads, 1, 1, 0, nullptr, arguments, nullptr),
                form.name());
  Driver::check(cuda.synchronize(), form.name());
  Driver::check(cuda.to_host(results.data(), out, results.size()), form.name());
  Driver::check(cuda.release(in), "cuMemFree");
  Driver::check(cuda.release(out), "cuMemFree");
  Driver::check(cuda.unload(module), "cuModuleUnload");
  return {};
}

int record_all(const std::string& path, const char* values_path, bool places) {
  Driver cuda;
  VectorFile file;
  file.origin = fmt::format("{}PTX: 8.8 for sm_90a\nBlocks: {} a form\n", cuda.origin(), kWgmmaBlocks);
  VectorFile values{file.origin, {}};
  const std::vector<WgmmaForm> forms = places ? wgmma_place_forms() : wgmma_forms();
  size_t refused = 0;
  for (const WgmmaForm& form : forms) {
    std::vector<std::byte> results;
    RecordedForm& kept = file.forms[form.name()];
    kept.refusal = record(cuda, form, results);
    refused += !kept.refusal.empty();
    if (!kept.refusal.empty()) continue;
    if (places) {  // all blocks are alike
      results.resize(results.size() / kWgmmaBlocks);
      kept.bytes = bytes_of(results);
      continue;
    }
    const std::vector<uint64_t> hashes = wgmma_hashes(form, results);
    kept.bytes = bytes_of(std::as_bytes(std::span(hashes)));
    if (form.n <= kColumnsShown) values.forms[form.name()].bytes = bytes_of(results);
  }
  fmt::print("{}{} forms, {} refused\n", file.origin, forms.size(), refused);
  if (!write_vectors(path, file)) Driver::fail("cannot write " + path);
  if (values_path != nullptr && !write_vectors(values_path, values)) Driver::fail("cannot write the values");
  return 0;
}

}  // namespace

}  // namespace warptime::sim

int main(int count, char** arguments) {
  using namespace warptime::sim;
  const std::string_view first = count > 1 ? arguments[1] : "";
  if (count == 2 && first == "--ptx") {
    fmt::print("{}", wgmma_module(wgmma_forms(), 0));
    return 0;
  }
  if (count == 2 && first == "--ptx-places") {
    fmt::print("{}", wgmma_module(wgmma_place_forms(), 0));
    return 0;
  }
  if (count == 3 && first == "--places") return record_all(arguments[2], nullptr, true);
  if (count >= 2) return record_all(arguments[1], count > 2 ? arguments[2] : nullptr, false);
  fmt::print(stderr, "usage: record_wgmma FILE [VALUES] | --places FILE | --ptx | --ptx-places\n");
  return 2;
}
