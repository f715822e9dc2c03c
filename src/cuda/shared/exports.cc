// What the library exports: each function of functions.def under its name and the versions of the vendor's libraries
// (libcudart.so.11.0, .12 and .13), and those of driver.def (libcuda.so.1). It notes the name that the program called
// (warptime_called, call_site.h), and jumps to the function that does it. One file serves the four names.
// clang-format off
#if defined(__aarch64__)
#define NOTE_AND_JUMP(name, target)                                                                             \
  "mrs x16, tpidr_el0\nadrp x17, :gottprel:warptime_called\nldr x17, [x17, #:gottprel_lo12:warptime_called]\n" \
  "add x16, x16, x17\nadrp x17, " name "\nadd x17, x17, :lo12:" name "\nstr x17, [x16]\nb " target "\n"
#else
#define NOTE_AND_JUMP(name, target)                                                                              \
  "movq warptime_called@gottpoff(%rip), %r10\nleaq " name "(%rip), %r11\nmovq %r11, %fs:(%r10)\njmp " target "\n"
#endif
#define NOTING(name, label, target)                                        \
  asm(".section .rodata\n\"" label ".name\": .asciz \"" #name "\"\n"       \
      ".text\n.globl \"" label "\"\n.type \"" label "\", %function\n\"" label "\":\n" \
      NOTE_AND_JUMP("\"" label ".name\"", #target)
#define STUB(name, version, at, target) \
  NOTING(name, #name "." version, target) ".symver \"" #name "." version "\", " #name at "libcudart.so." version ", remove\n");
#define IN_V11(name, target) STUB(name, "11.0", "@", target)
#define IN_V12(name, target) STUB(name, "12", "@", target)
#define IN_V13(name, target) STUB(name, "13", "@@", target)
#define IN_OLD(name, target) IN_V11(name, target) IN_V12(name, target)
#define IN_NEW(name, target) IN_V12(name, target) IN_V13(name, target)
#define IN_ALL(name, target) IN_OLD(name, target) IN_V13(name, target)

#define AS(versions, name, function, arguments) IN_##versions(name, warptime_##function)
#define AS_PTSZ(versions, name, function, arguments) \
  AS(versions, name, function, arguments) AS(versions, name##_ptsz, function, arguments)
#define DONE(name, arguments) IN_ALL(name, warptime_##name)
#define DONE_PTSZ(name, arguments) IN_ALL(name, warptime_##name) IN_ALL(name##_ptsz, warptime_##name)
#define DONE_PTDS(name, arguments) IN_ALL(name, warptime_##name) IN_ALL(name##_ptds, warptime_##name)
#define NOT(versions, name) IN_##versions(name, warptime_not_supported)
#define NOT_PTSZ(name) NOT(ALL, name) NOT(ALL, name##_ptsz)
#define NOT_PTDS(name) NOT(ALL, name) NOT(ALL, name##_ptds)
#include "cuda/functions.def"

// The driver's, all of one version, whose name no program knows: those that are linked with -lcuda ask for none.
#define DRIVER(name, target) \
  NOTING(name, #name ".driver", target) ".symver \"" #name ".driver\", " #name "@@libcuda.so.1, remove\n");
#define CU(name, arguments) DRIVER(name, warptime_##name)
#define CU_AS(name, function, arguments) DRIVER(name, warptime_##function)
#define CU_SINCE(version, name, function, arguments) CU_AS(name, function, arguments)
#define CU_PTSZ(name, arguments) CU(name, arguments) CU_AS(name##_ptsz, name, arguments)
#define CU_PTDS(name, arguments) CU(name, arguments) CU_AS(name##_ptds, name, arguments)
#define CU_AS_PTSZ(name, function, arguments) CU_AS(name, function, arguments) CU_AS(name##_ptsz, function, arguments)
#define CU_AS_PTDS(name, function, arguments) CU_AS(name, function, arguments) CU_AS(name##_ptds, function, arguments)
#define CU_NOT(name) DRIVER(name, warptime_not_supported)
#include "cuda/driver.def"
