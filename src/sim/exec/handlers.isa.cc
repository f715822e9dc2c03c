// All lane code for one host instruction set: conversions here, the rest from its files.
#include "sim/exec/conversion_lanes.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_arithmetic(HandlerTable& table);
void add_bits(HandlerTable& table);
void add_comparison(HandlerTable& table);
void add_division(HandlerTable& table);
void add_half_conversions(HandlerTable& table);
void add_halves(HandlerTable& table);
TextureAccess texture_access();
WordAccess word_access();

void add_handlers(HandlerTable& table) {
  add_arithmetic(table);
  add_bits(table);
  add_comparison(table);
  add_division(table);
  add_halves(table);
  add_half_conversions(table);
  add_conversions(table);
  table.set_words(word_access());
  table.set_textures(texture_access());
}

}  // namespace warptime::sim::inline WARPTIME_ISA
