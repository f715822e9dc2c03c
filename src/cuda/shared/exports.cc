// What the library exports: each function of functions.def under its name and the versions of the vendor's libraries
// (libcudart.so.11.0, .12 and .13), and those of driver.def (libcuda.so.1), as a jump to the function that does it. One
// file serves the four names.
// clang-format off
#if defined(__aarch64__)
#define JUMP(target) "b " #target "\n"
#define NAMED(label) "adrp x0, " label "\nadd x0, x0, :lo12:" label "\n"
#else
#define JUMP(target) "jmp " #target "\n"
#define NAMED(label) "leaq " label "(%rip), %rdi\n"
#endif
#define STUB(name, version, at, before, target)                                                                    \
  asm(".text\n.globl \"" #name "." version "\"\n.type \"" #name "." version "\", %function\n\"" #name "." version "\":\n" \
      before JUMP(target) ".symver \"" #name "." version "\", " #name at "libcudart.so." version ", remove\n");
#define IN_V11(name, before, target) STUB(name, "11.0", "@", before, target)
#define IN_V12(name, before, target) STUB(name, "12", "@", before, target)
#define IN_V13(name, before, target) STUB(name, "13", "@@", before, target)
#define IN_OLD(name, before, target) IN_V11(name, before, target) IN_V12(name, before, target)
#define IN_NEW(name, before, target) IN_V12(name, before, target) IN_V13(name, before, target)
#define IN_ALL(name, before, target) IN_OLD(name, before, target) IN_V13(name, before, target)

#define AS(versions, name, function, arguments) IN_##versions(name, "", warptime_##function)
#define AS_PTSZ(versions, name, function, arguments) \
  AS(versions, name, function, arguments) AS(versions, name##_ptsz, function, arguments)
#define DONE(name, arguments) IN_ALL(name, "", warptime_##name)
#define DONE_PTSZ(name, arguments) IN_ALL(name, "", warptime_##name) IN_ALL(name##_ptsz, "", warptime_##name)
#define DONE_PTDS(name, arguments) IN_ALL(name, "", warptime_##name) IN_ALL(name##_ptds, "", warptime_##name)
#define NOT(versions, name)                                                                \
  asm(".section .rodata\n\"" #name ".name\": .asciz \"" #name "\"\n");                      \
  IN_##versions(name, NAMED("\"" #name ".name\""), warptime_not_supported)
#define NOT_PTSZ(name) NOT(ALL, name) NOT(ALL, name##_ptsz)
#define NOT_PTDS(name) NOT(ALL, name) NOT(ALL, name##_ptds)
#include "cuda/functions.def"

// The driver's, all of one version, whose name no program knows: those that are linked with -lcuda ask for none.
#define DRIVER(name, before, target)                                                                             \
  asm(".text\n.globl \"" #name ".driver\"\n.type \"" #name ".driver\", %function\n\"" #name ".driver\":\n" before \
      JUMP(target) ".symver \"" #name ".driver\", " #name "@@libcuda.so.1, remove\n");
#define CU(name, arguments) DRIVER(name, "", warptime_##name)
#define CU_AS(name, function, arguments) DRIVER(name, "", warptime_##function)
#define CU_SINCE(version, name, function, arguments) CU_AS(name, function, arguments)
#define CU_PTSZ(name, arguments) CU(name, arguments) CU_AS(name##_ptsz, name, arguments)
#define CU_PTDS(name, arguments) CU(name, arguments) CU_AS(name##_ptds, name, arguments)
#define CU_AS_PTSZ(name, function, arguments) CU_AS(name, function, arguments) CU_AS(name##_ptsz, function, arguments)
#define CU_AS_PTDS(name, function, arguments) CU_AS(name, function, arguments) CU_AS(name##_ptds, function, arguments)
#define CU_NOT(name)                                                   \
  asm(".section .rodata\n\"" #name ".name\": .asciz \"" #name "\"\n"); \
  DRIVER(name, NAMED("\"" #name ".name\""), warptime_not_supported)
#include "cuda/driver.def"
