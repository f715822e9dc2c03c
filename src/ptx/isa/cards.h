// The list of all cards. A new instruction is a struct in one of these headers and a word in this list.
#pragma once

#include "ptx/isa/arithmetic.h"
#include "ptx/isa/atomics.h"
#include "ptx/isa/bit_field.h"
#include "ptx/isa/carry.h"
#include "ptx/isa/comparison.h"
#include "ptx/isa/control.h"
#include "ptx/isa/conversion.h"
#include "ptx/isa/division.h"
#include "ptx/isa/logic_shift.h"
#include "ptx/isa/movement.h"
#include "ptx/isa/sign_min_max.h"
#include "ptx/isa/special_functions.h"
#include "ptx/isa/texture.h"
#include "ptx/isa/warp.h"

namespace warptime::ptx::inline WARPTIME_ISA {

template <class... Cards>
struct CardList {};

using AllCards = CardList<Abs, Activemask, Add, Addc, And, Applypriority, Atom, Bar, BarrierCard, Bfe, Bfi, Bfind, Bmsk,
                          Bra, Brev, Brkpt, Brx, Call, Clz, Cnot, Copysign, Cos, Createpolicy, Cvt, Cvta, Discard, Div,
                          Dp2a, Dp4a, Elect, Ex2, Exit, Fence, Fma, Fns, Griddepcontrol, Isspacep, Ld, Ldu, Lg2, Lop3,
                          Mad, Mad24, Madc, Match, Max, Membar, Min, Mov, Mul, Mul24, Nanosleep, Neg, Not, Or, Pmevent,
                          Popc, Prefetch, Prefetchu, Prmt, Rcp, Red, Redux, Rem, Ret, Rsqrt, Sad, Selp, Set, Setp, Shf,
                          Shfl, Shl, Shr, Sin, Slct, Sqrt, St, Sub, Subc, Szext, Tanh, Testp, Tex, Trap, Vote, Xor>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
