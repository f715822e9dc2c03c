// Records what an NVIDIA GPU makes of matrix instructions: record_matrices FILE [VALUES]. FILE gets a number for each
// fragment of each form (fragment_hashes), VALUES0 to VALUES3 the results. It needs the driver's library only. Each
// form is a module of its own; one that the driver's compiler refuses is kept with its message.
//
//   record_matrices --ptx   prints the module of all forms instead
#include <fmt/format.h>

#include <array>

#include "cuda_driver.h"
#include "isa/matrix_forms.h"
#include "isa/vector_file.h"

namespace warptime::sim {

namespace {

std::string bytes_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The results of a form, or the compiler's message.
std::string record(const Driver& cuda, const MatrixForm& form, size_t index, std::vector<std::byte>& results) {
  std::string text = matrix_module({&form, 1}, index), log(8192, '\0');
  int options[] = {5, 6};  // CU_JIT_ERROR_LOG_BUFFER and its size
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  void* module = nullptr;
  if (cuda.load(&module, text.c_str(), 2, options, values) != 0) return one_line(log.c_str());
  const std::vector<std::byte> operands = matrix_operands(form);
  results.resize(result_bytes(form));
  Driver::Pointer in = 0, out = 0;
  void* function = nullptr;
  Driver::check(cuda.function(&function, module, fmt::format("k{}", index).c_str()), "cuModuleGetFunction");
  Driver::check(cuda.allocate(&in, operands.size() + 1), "cuMemAlloc");
  Driver::check(cuda.allocate(&out, results.size()), "cuMemAlloc");
  Driver::check(cuda.to_device(in, operands.data(), operands.size()), "cuMemcpyHtoD");
  Driver::check(cuda.fill(out, 0, results.size()), "cuMemsetD8");
  void* arguments[] = {&in, &out};
  Driver::check(cuda.launch(function, kMatrixFragments, 1, 1, kMatrixLanes, 1, 1, 0, nullptr, arguments, nullptr),
                form.text);
  Driver::check(cuda.synchronize(), form.text);
  Driver::check(cuda.to_host(results.data(), out, results.size()), form.text);
  Driver::check(cuda.unload(module), "cuModuleUnload");
  return {};
}

int record_all(const std::string& path, const char* all_values) {
  Driver cuda;
  VectorFile file;
  std::array<VectorFile, 4> values;  // so that none is too large
  file.origin = fmt::format("{}PTX: 8.8 for sm_90\nFragments: {} a form\n", cuda.origin(), kMatrixFragments);
  for (VectorFile& some : values) some.origin = file.origin;
  const std::vector<MatrixForm> forms = matrix_forms();
  size_t refused = 0;
  for (size_t i = 0; i < forms.size(); ++i) {
    std::vector<std::byte> results;
    const std::string message = record(cuda, forms[i], i, results);
    RecordedForm& kept = values[i % values.size()].forms[forms[i].text];
    file.forms[forms[i].text].refusal = kept.refusal = message;
    refused += !message.empty();
    if (!message.empty()) continue;
    const std::vector<uint64_t> hashes = fragment_hashes(forms[i], results);
    file.forms[forms[i].text].bytes = bytes_of(std::as_bytes(std::span(hashes)));
    if (forms[i].shows_shared) results.resize(results.size() / 4);
    kept.bytes = bytes_of(results);
  }
  fmt::print("{}{} forms, {} refused\n", file.origin, forms.size(), refused);
  if (!write_vectors(path, file)) Driver::fail("cannot write " + path);
  for (size_t i = 0; i < values.size() && all_values != nullptr; ++i)
    if (!write_vectors(fmt::format("{}{}", all_values, i), values[i])) Driver::fail("cannot write the values");
  return 0;
}

}  // namespace

}  // namespace warptime::sim

int main(int count, char** arguments) {
  using namespace warptime::sim;
  if (count == 2 && std::string_view(arguments[1]) == "--ptx") {
    fmt::print("{}", matrix_module(matrix_forms(), 0));
    return 0;
  }
  if (count >= 2) return record_all(arguments[1], count > 2 ? arguments[2] : nullptr);
  fmt::print(stderr, "usage: record_matrices FILE [VALUES] | record_matrices --ptx\n");
  return 2;
}
