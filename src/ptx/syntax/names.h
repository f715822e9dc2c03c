// Names and what they mean: interning, and nested scopes (module, kernel, { }). A lookup is one hash probe; leaving a
// scope undoes its declarations.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ptx/isa/types.h"

namespace warptime::ptx {

using NameId = uint32_t;

/// What a name stands for in the current scope.
struct Binding {
  enum class Kind : uint8_t {
    None,
    Declared,        // a register that no instruction has used yet: `type`, `vector`
    Register,        // `index`: the first of `vector` registers of the kernel
    ModuleSymbol,    // `index` in Module::symbols
    KernelSymbol,    // `index` in Kernel::symbols
    Special,         // `index`: a Special; `vector` components
    Zero,            // a special register that always reads as zero
    WarpSize,        // WARP_SZ
    Function,        // a kernel
    DeviceFunction,  // `index` in Module::functions
    Prototype,       // .callprototype, .calltargets: `index` in Module::functions of a function with that signature
  };
  Kind kind = Kind::None;
  uint8_t depth = 0;
  uint8_t vector = 1;
  Type type = Type::None;
  uint32_t index = 0;
  uint32_t place = 0;  // offset of the declaration
};

/// .reg .f32 %f<10>: the names %f0 to %f9.
struct RegisterRange {
  uint8_t depth = 0;
  uint8_t vector = 1;
  Type type = Type::None;
  uint32_t count = 0;  // 0: none
  uint32_t place = 0;
};

class Names {
 public:
  Names();

  NameId intern(std::string_view text);
  std::string_view text(NameId id) const { return texts_[id]; }

  uint8_t depth() const { return static_cast<uint8_t>(undo_.size() - 1); }
  void open_scope() { undo_.emplace_back(); }
  void close_scope();

  /// The binding that is visible here; a name that belongs to a range is bound on the way. Kind::None: undeclared.
  Binding& find(NameId id);

  /// Declares in the current scope; false (and *first: where) if the scope has the name already.
  bool declare(NameId id, Binding binding, uint32_t* first);
  /// Declares a name that no text has in an outer scope: 0 the module, 1 the kernel or function.
  void declare_outside(NameId id, Binding binding, uint8_t depth) {
    binding.depth = depth;
    bind(id, binding);
  }
  bool declare_range(NameId prefix, RegisterRange range, uint32_t* first);
  /// The range that a name such as %r12 would belong to by its letters, if one is visible; nullptr otherwise.
  const RegisterRange* range_of(NameId id, NameId* prefix);

  /// Where a name was last declared, in a scope that has ended.
  std::optional<uint32_t> ended(NameId id) const {
    return ended_[id] == 0 ? std::nullopt : std::optional(ended_[id] - 1);
  }

  /// Every name with a meaning here, for "did you mean".
  std::vector<std::string_view> visible() const;
  size_t size() const { return texts_.size(); }
  /// Whether anything so far has this name.
  bool is_known(std::string_view text) const;

 private:
  struct Undo {
    NameId id;
    bool is_range;
    Binding binding;
    RegisterRange range;
  };

  const RegisterRange* range_with(std::string_view text, uint32_t* number);
  NameId find_text(std::string_view text) const;
  void bind(NameId id, const Binding& binding);
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<Binding> bindings_;
  std::vector<RegisterRange> ranges_;
  std::vector<uint32_t> table_;          // open addressing: id + 1, 0 free
  std::vector<std::vector<Undo>> undo_;  // by depth
  std::vector<uint32_t> ended_;          // by name: place + 1 of a declaration whose scope has ended, 0 none
};

}  // namespace warptime::ptx
