#include "host/device/arguments.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "base/plural.h"

namespace warptime::host {

using ptx::Type;
using ptx::TypeKind;

namespace {

Argument scalar(Type type, uint64_t bits, std::string text) {
  Argument argument;
  argument.type = type;
  argument.bits = bits;
  argument.text = std::move(text);
  return argument;
}

bool is_array(const ptx::Symbol& parameter) { return parameter.size != ptx::bytes(parameter.type); }

std::string type_text(const ptx::Symbol& parameter) {
  return is_array(parameter) ? fmt::format("a struct of {}", plural(parameter.size, "byte"))
                             : fmt::format(".{}", ptx::name(parameter.type));
}

std::string argument_text(const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::Address: return "the address of a buffer";
    case Argument::Kind::Bytes: return plural(argument.bytes.size(), "byte");
    case Argument::Kind::Scalar: return fmt::format("a .{}", ptx::name(argument.type));
  }
  return {};
}

bool interchangeable(Type a, Type b) {
  if (ptx::bits(a) != ptx::bits(b)) return false;
  auto is_float = [](TypeKind kind) { return kind == TypeKind::Float || kind == TypeKind::Packed; };
  TypeKind ka = ptx::info(a).kind, kb = ptx::info(b).kind;
  return is_float(ka) == is_float(kb) || ka == TypeKind::Bits || kb == TypeKind::Bits;
}

// Why the argument cannot stand for the parameter; empty: it can.
std::string mismatch(const ptx::Module& module, const ptx::Symbol& parameter, const Argument& argument) {
  bool several = argument.kind == Argument::Kind::Bytes && argument.bytes.size() != 1;
  std::string expected =
      fmt::format("is {}, but {} {} given", type_text(parameter), argument_text(argument), several ? "were" : "was");
  switch (argument.kind) {
    case Argument::Kind::Bytes: return argument.bytes.size() == parameter.size ? "" : expected;
    case Argument::Kind::Scalar:
      return !is_array(parameter) && interchangeable(parameter.type, argument.type) ? "" : expected;
    case Argument::Kind::Address:
      // A 32-bit parameter of a module with 64-bit addresses is a number, not a pointer.
      if (is_array(parameter) || ptx::info(parameter.type).kind == TypeKind::Float ||
          parameter.size < module.address_bytes)
        return expected;
      if (parameter.size == 4 && argument.bits > 0xffffffff)
        return "is a 32-bit address, but the buffer lies above 4 GiB";
      return "";
  }
  return expected;
}

}  // namespace

Argument arg_u16(uint16_t value) { return scalar(Type::U16, value, fmt::format("{}", value)); }
Argument arg_u32(uint32_t value) { return scalar(Type::U32, value, fmt::format("{}", value)); }
Argument arg_s32(int32_t value) { return scalar(Type::S32, static_cast<uint32_t>(value), fmt::format("{}", value)); }
Argument arg_f32(float value) { return scalar(Type::F32, std::bit_cast<uint32_t>(value), fmt::format("{}", value)); }
Argument arg_f64(double value) { return scalar(Type::F64, std::bit_cast<uint64_t>(value), fmt::format("{}", value)); }
Argument arg_u64(uint64_t value) { return scalar(Type::U64, value, fmt::format("{}", value)); }

std::string signature(const ptx::Kernel& kernel) {
  std::string out = kernel.name + "(";
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ptx::Symbol& p = kernel.symbols[kernel.parameters[i]];
    out += fmt::format("{}.{} {}", i == 0 ? "" : ", ", ptx::name(p.type), p.name);
    if (is_array(p)) out += fmt::format("[{}]", p.size / std::max(1u, ptx::bytes(p.type)));
  }
  return out + ")";
}

std::vector<std::byte> pack_arguments(const ptx::Module& module, const ptx::Kernel& kernel,
                                      const std::vector<Argument>& arguments, SourceSpan where,
                                      Diagnostics& diagnostics) {
  // Behind the last parameter, instructions read zeros.
  std::vector<std::byte> packed(std::max(kernel.parameter_bytes, kernel.parameter_read_end));
  size_t wanted = kernel.parameters.size();
  if (arguments.size() != wanted) {
    SourceSpan place = arguments.size() > wanted && arguments[wanted].where.source ? arguments[wanted].where : where;
    diagnostics.error(place,
                      fmt::format("kernel \"{}\" takes {} argument{}, but {} {} given", kernel.name, wanted,
                                  wanted == 1 ? "" : "s", arguments.size(), arguments.size() == 1 ? "was" : "were"),
                      signature(kernel));
    return packed;
  }
  for (size_t i = 0; i < wanted; ++i) {
    const ptx::Symbol& parameter = kernel.symbols[kernel.parameters[i]];
    const Argument& argument = arguments[i];
    if (std::string why = mismatch(module, parameter, argument); !why.empty()) {
      std::string given = argument.text.empty() ? "" : fmt::format(" ({})", argument.text);
      diagnostics.error(argument.where.source ? argument.where : where,
                        fmt::format("argument {} of kernel \"{}\" {}{}", i + 1, kernel.name, why, given),
                        signature(kernel));
      continue;
    }
    const void* from =
        argument.kind == Argument::Kind::Bytes ? static_cast<const void*>(argument.bytes.data()) : &argument.bits;
    if (parameter.size != 0) std::memcpy(packed.data() + parameter.offset, from, parameter.size);
  }
  return packed;
}

}  // namespace warptime::host
