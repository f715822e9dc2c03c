// Helpers of the front-end tests: a module or kernel from a few lines of PTX.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "ptx/load_module.h"

namespace warptime::ptx {

inline std::shared_ptr<const Module> load(const std::string& text) {
  Diagnostics diagnostics;
  auto module = load_module(std::make_shared<SourceText>("test.ptx", text), diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(module != nullptr);
  return module;
}

/// A module with one kernel of this body; %r<32> .b32, %rd<16> .b64, %rs<16> .b16, %f<16>, %p<8> are declared. The
/// body's first line is line 1.
inline std::shared_ptr<const Module> load_body(const std::string& body) {
  return load(
      ".version 9.0 .target sm_75 .address_size 64 .entry kernel(.param .u64 out) { .reg .b32 %r<32>; .reg .b64 "
      "%rd<16>; .reg .b16 %rs<16>; .reg .f32 %f<16>; .reg .pred %p<8>; " +
      body + "\n}");
}

/// The text of the errors; "" if the module is good.
inline std::string errors_of(std::string text) {
  Diagnostics diagnostics;
  auto module = load_module(std::make_shared<SourceText>("test.ptx", std::move(text)), diagnostics);
  CHECK((module == nullptr) == diagnostics.has_errors());
  return module == nullptr ? diagnostics.to_text() : "";
}

inline uint32_t register_named(const Kernel& kernel, const std::string& name) {
  for (uint32_t i = 0; i < kernel.registers.size(); ++i)
    if (kernel.registers[i].name == name) return i;
  FAIL("no register " << name);
  return 0;
}

}  // namespace warptime::ptx
