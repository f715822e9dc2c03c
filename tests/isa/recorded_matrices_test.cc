// Matrix instructions against what a real GPU made of the same fragments (recorded/matrices.gz), whole kernels on the
// machine `generic`; and that every form of their cards is among them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <set>

#include "host/device/device.h"
#include "matrix_forms.h"
#include "ptx/isa/cards.h"
#include "ptx/load_module.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "vector_file.h"

namespace warptime::sim {

namespace {

host::Device matrix_device() {
  Diagnostics diagnostics;
  auto loaded = load_machine("generic", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  RunOptions options;
  options.functional = true;
  return host::Device(loaded->machine, options);
}

std::vector<uint64_t> simulated_hashes(const MatrixForm& form, std::shared_ptr<SourceText> source, size_t index) {
  host::Device device = matrix_device();
  const std::vector<std::byte> operands = matrix_operands(form);
  std::vector<std::byte> results(result_bytes(form));
  auto in = device.allocate<std::byte>(operands.size() + 8, "operands");
  auto out = device.allocate<std::byte>(results.size(), "results");
  device.write_bytes(in.address, operands);
  device.write_bytes(out.address, results);
  auto module = device.load_module(std::move(source));
  device.launch(module, fmt::format("k{}", index), {kMatrixFragments}, {kMatrixLanes}, {in, out});
  device.read_bytes(results, out.address);
  return fragment_hashes(form, results);
}

/// The forms of these cards as the recorded ones use them.
std::set<const ptx::Form*> used_forms(const std::vector<MatrixForm>& forms) {
  std::set<const ptx::Form*> out;
  Diagnostics diagnostics;
  auto source = std::make_shared<SourceText>("matrices.ptx", matrix_module(forms, 0));
  auto module = ptx::load_module(source, diagnostics);
  REQUIRE(module != nullptr);
  for (const ptx::Kernel& kernel : module->kernels)
    for (const ptx::Instruction& instruction : kernel.instructions) out.insert(instruction.form);
  return out;
}

}  // namespace

TEST_CASE("matrix instructions give the bits that a GPU recorded") {
  const VectorFile recorded = read_vectors(WARPTIME_SOURCE_DIR "/tests/isa/recorded/matrices.gz");
  const std::vector<MatrixForm> forms = matrix_forms();
  for (size_t i = 0; i < forms.size(); ++i) {
    const auto found = recorded.forms.find(forms[i].text);
    if (found == recorded.forms.end()) FAIL("nothing recorded for " << forms[i].text << ": see docs/contributing.md");
    REQUIRE(found->second.refusal.empty());
    std::vector<uint64_t> expected(kMatrixFragments);
    REQUIRE(found->second.bytes.size() == expected.size() * 8);
    std::memcpy(expected.data(), found->second.bytes.data(), found->second.bytes.size());
    auto source = std::make_shared<SourceText>("matrices.ptx", matrix_module({&forms[i], 1}, i));
    const std::vector<uint64_t> got = simulated_hashes(forms[i], source, i);
    for (size_t fragment = 0; fragment < kMatrixFragments; ++fragment)
      if (got[fragment] != expected[fragment]) {
        FAIL_CHECK(forms[i].text << ": fragment " << fragment << " differs, and perhaps more");
        break;
      }
  }
}

TEST_CASE("every form of a matrix instruction is recorded") {
  const std::set<const ptx::Form*> used = used_forms(matrix_forms());
  for (std::string_view name : {"mma", "wmma", "ldmatrix", "stmatrix", "movmatrix"}) {
    const ptx::CardRow* card = ptx::find_card(name);
    REQUIRE(card != nullptr);
    for (const ptx::Form& form : card->forms) {
      INFO(name << " form " << &form - card->forms.data() << " " << operands_of(*card->card, form));
      CHECK(used.contains(&form));
    }
  }
}

}  // namespace warptime::sim
