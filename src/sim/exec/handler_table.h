// The handlers of every form of every card, compiled for one host instruction set.
#pragma once

#include <string_view>
#include <vector>

#include "sim/exec/handler_key.h"
#include "sim/exec/insn.h"
#include "sim/exec/texture_sampling.h"
#include "sim/exec/word_access.h"

namespace warptime::sim {

class HandlerTable {
 public:
  void reserve(size_t handlers) { entries_.reserve(handlers); }
  void add(const HandlerKey& key, Handler handler);
  /// Call once after the last add.
  void finish();
  /// nullptr if there is none.
  Handler find(const HandlerKey& key) const;
  size_t size() const { return entries_.size(); }
  void set_words(const WordAccess& words) { words_ = words; }
  const WordAccess& words() const { return words_; }
  void set_textures(const TextureAccess& textures) { textures_ = textures; }
  const TextureAccess& textures() const { return textures_; }

 private:
  struct Entry {
    HandlerKey key;
    Handler handler;
  };
  std::vector<Entry> entries_;
  WordAccess words_;
  TextureAccess textures_;
};

/// Host instruction sets for which lane code was compiled and that this processor has; the best one last.
std::vector<std::string_view> available_isas();
/// The table of a named one; nullptr if it is not available.
const HandlerTable* handler_table(std::string_view isa);
/// The one in use: the best available, or what the environment variable WARPTIME_ISA says (baseline, avx2, avx512). One
/// that is unknown or not available is ignored here, and refused by the command line.
const HandlerTable& handler_table();

}  // namespace warptime::sim
