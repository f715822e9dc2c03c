"""Bad PTX: text that is not PTX, declarations and instructions that are wrong, and kernels that fault when they run."""

from case import BAD_INPUT, HANDLED, REFUSED, Case

HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n"
REGISTERS = """  .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %g<9>;
  .shared .align 8 .b8 tile[256]; .local .align 8 .b8 stack[64];
"""
RUN = ["--grid", "1", "--block", "64", "--buffer", "x=u32:64:iota", "--arg", "x", "--machine", "generic", "--max-cycles",
    "2000000"]


def kernel(body, head=HEAD, module="", parameters=".param .u64 x"):
    return f"{head}{module}\n.visible .entry k({parameters})\n{{\n{REGISTERS}{body}\n  ret;\n}}\n"


# ---- instructions that no checker may take

INSTRUCTIONS = """
add %r1, %r2, %r3;                | add.u32 %r1, %r2;                  | add.u32 %r1, %r2, %r3, %r4;
add.u32 %r1, %r2, %d3;            | add.u33 %r1, %r2, %r3;             | add.u32.u32 %r1, %r2, %r3;
add..u32 %r1, %r2, %r3;           | add.u32, %r1, %r2, %r3;            | add.u32 %r1 %r2 %r3;
add.u32 5, %r2, %r3;              | add.u32 x, %r2, %r3;               | add.u32 [x], %r2, %r3;
add.u32 %r1, [%d1], %r3;          | add.u32 %tid.x, %r1, %r2;          | add.u32 %r1, %tid.w, %r2;
add.u32 %r1, %r99, %r2;           | add.u32 %r1, %r, %r2;              | add.u32 %r-1, %r2, %r3;
add.sat.u32 %r1, %r2, %r3;        | add.rn.u32 %r1, %r2, %r3;          | add.f32.rn %f1, %f2, %f3;
add.rn.rz.f32 %f1, %f2, %f3;      | add.f32 %f1, %f2, 1;               | add.f32 %f1, %f2, 0f3F8000;
add.f32 %f1, %f2, 0f3F80000000;   | add.f32 %f1, %f2, 0fGGGGGGGG;      | add.f64 %g1, %g2, 0d3FF0;
add.f32 %f1, %f2, 1e;             | add.f32 %f1, %f2, 1e+;             | add.f32 %f1, %f2, .e5;
add.f32 %f1, %f2, 1.0f;           | add.u32 %r1, %r2, 1.5;             | add.u32 %r1, %r2, 0x;
add.u32 %r1, %r2, 0b102;          | add.u32 %r1, %r2, 09;              | add.u32 %r1, %r2, 99999999999999999999999;
add.u32 %r1, %r2, 0xFFFFFFFFFFFFFFFFF; | add.u32 %r1, %r2, 1 2;        | add.u32 %r1, %r2, 1+;
add.u32 %r1, %r2, (1;             | add.u32 %r1, %r2, 1);              | add.u32 %r1, %r2, 1/0;
add.u32 %r1, %r2, 1%0;            | add.u32 %r1, %r2, -9223372036854775808/-1; | add.u32 %r1, %r2, 1<<64;
add.u32 %r1, %r2, 1?2;            | add.u32 %r1, %r2, 1?2:;            | add.u32 %r1, %r2, (.u64;
mov.u32 %r1, nothing;             | mov.u32 %r1;                       | mov.u32 , %r1;
mov.u64 %d1, %r1;                 | mov.b32 {%h1,%h2}, %d1;            | mov.b64 {%r1,%r2,%r3}, %d1;
mov.b64 {%r1}, %d1;               | mov.b64 {}, %d1;                   | mov.b64 {%r1,%r2, %d1;
mov.b64 {%r1,{%r2}}, %d1;         | mov.pred %p1, %r1;                 | mov.u32 %r1, %p1;
mov.f32 %f1, %r1 + 1;             | mov.u64 %d1, k+;                   | mov.u64 %d1, tile[;
ld.u32 %r1, %d1;                  | ld.global.u32 %r1, [%r1];          | ld.global.u32 %r1, [%d1;
ld.global.u32 %r1, %d1];          | ld.global.u32 %r1, [];             | ld.global.u32 %r1, [%d1+];
ld.global.u32 %r1, [%d1+%r1];     | ld.global.u32 %r1, [%d1*4];        | ld.global.u32 %r1, [%d1+99999999999999999999];
ld.global.u32 %r1, [nothing];     | ld.globl.u32 %r1, [%d1];           | ld.global.shared.u32 %r1, [%d1];
ld.global.v3.u32 {%r1,%r2,%r3}, [%d1]; | ld.global.v2.u32 %r1, [%d1];  | ld.global.v4.u32 {%r1,%r2}, [%d1];
ld.global.v4.u64 {%d1,%d2,%d3,%d4}, [%d1]; | ld.global.pred %p1, [%d1]; | ld.global.u32 5, [%d1];
ld.param.u32 %r1, [y];            | ld.param.u32 %r1, [x+4096];        | ld.param.u32 %r1, [%d1];
ld.const.u32 %r1, [x];            | ld.shared.u32 %r1, [x];            | ld.reg.u32 %r1, [%d1];
st.global.u32 [%d1], [%d2];       | st.global.u32 %d1, %r1;            | st.global.u32 [%d1];
st.const.u32 [%d1], %r1;          | st.param.u32 [x], %r1;             | st.global.u32 [%d1], %g1;
setp.eq.u32 %r1, %r2, %r3;        | setp.xx.u32 %p1, %r2, %r3;         | setp.lo.s32 %p1, %r2, %r3;
setp.eq.u32 %p1|, %r2, %r3;       | setp.eq.u32 %p1|%p2|%p3, %r1, %r2; | setp.eq.and.u32 %p1, %r2, %r3;
setp.equ.u32 %p1, %r1, %r2;       | setp.lt.b32 %p1, %r1, %r2;         | selp.u32 %r1, %r2, %r3;
selp.u32 %r1, %r2, %r3, %r4;      | selp.u32 %r1, %p2, %r3, %p1;       | slct.u32 %r1, %r2, %r3, %r4;
bra;                              | bra nowhere;                       | bra %r1;
bra 5;                            | bra k;                             | bra x;
@%p1;                             | @%r1 bra L;                        | @!%p1 @%p2 add.u32 %r1,%r1,1;
@ add.u32 %r1, %r1, 1;            | @%p77 ret;                         | @!! %p1 ret;
L: L: add.u32 %r1, %r1, 1;        | L: add.u32 %r1,%r1,1; L: ret;      | 5: add.u32 %r1,%r1,1;
call;                             | call nothing;                      | call (%r1), nothing, (%r2);
call (%r1, nothing;               | call %d1;                          | call %d1, (%r1);
call k, (x);                      | call.uni (%r1), %d1, (%r2), P;     | call (), k, ();
bar.sync;                         | bar.sync 16;                       | bar.sync -1;
bar.sync 0, 33;                   | bar.sync 0, 0;                     | bar.sync %p1;
bar.sync 0, 1, 2;                 | bar.sync 1.5;                      | bar.arrive 0;
bar.red.u32 0, %p1;               | bar.red.popc.u32 %r1, 0;           | bar.red.add.u32 %r1, 0, %p1;
atom.add.u32 %r1, [%d1], %r2;x    | atom.global.sub.u32 %r1,[%d1],%r2; | atom.global.add.u8 %r1,[%d1],%r2;
atom.global.cas.b32 %r1,[%d1],%r2; | atom.global.add.u32 %r1,[%d1];    | atom.const.add.u32 %r1,[%d1],%r2;
atom.param.add.u32 %r1,[x],%r2;   | atom.local.add.u32 %r1,[%d1],%r2;  | red.global.cas.b32 [%d1],%r1,%r2;
red.global.add.u32 %r1,[%d1],%r2; | red.shared.exch.b32 [%d1], %r1;    | atom.global.add.f64 %f1,[%d1],%f2;
cvt.u32.u32.u32 %r1, %r2;         | cvt.u32 %r1, %r2;                  | cvt.f32.f64 %f1, %g1;
cvt.rn.u32.u16 %r1, %h1;          | cvt.u32.f32 %r1, %f1;              | cvt.rni.f32.u32 %f1, %r1;
cvt.rn.f64.f32 %g1, %f1;          | cvt.sat.u64.u32 %d1, %p1;          | cvta.to.nothing.u64 %d1, %d2;
cvta.u32 %r1, %d1;                | cvta.global.u64 %d1, 5;            | cvta.to.reg.u64 %d1, %d2;
mul.u32 %r1, %r2, %r3;            | mul.wide.u64 %d1, %d2, %d3;        | mul.wide.u32 %r1, %r2, %r3;
mad.lo.u32 %r1, %r2, %r3;         | mad.wide.u32 %d1, %r1, %r2, %r3;   | mad.f32.lo %f1, %f2, %f3, %f4;
div.f32 %f1, %f2, %f3, %f4;       | div.approx.f64 %g1, %g2, %g3;      | rem.f32 %f1, %f2, %f3;
sqrt.f32 %f1, %f2;                | sin.f32 %f1, %f2;                  | rcp.approx.f64 %g1, %g2;
shl.b32 %r1, %r2, %d1;            | shl.u32 %r1, %r2, %r3;             | shr.f32 %f1, %f2, %r1;
and.u32 %r1, %r2, %r3;            | and.pred %p1, %p2, %r3;            | not.pred %p1, %p2, %p3;
cnot.b8 %h1, %h2;                 | popc.b32 %d1, %r1;                 | bfe.u32 %r1, %r2, %r3;
prmt.b32 %r1, %r2, %r3;           | prmt.f5e.b32 %r1, %r2, %r3, %r4;   | lop3.b32 %r1, %r2, %r3, %r4, 256;
lop3.b32 %r1, %r2, %r3, %r4;      | lop3.b32 %r1,%r2,%r3,%r4,%r5;      | shf.l.b32 %r1, %r2, %r3, %r4;
tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}]; | tex.9d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [x, {%f1}];
tex.1d.v4.f32.f32 {%f1,%f2,%f3}, [x, {%f1}];         | tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [x];
tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [x, {%f1}];     | suld.b.1d.b32 %r1, [x];
vote.all.pred %r1, %p1;           | vote.ballot.b32 %p1, %p2;          | vote.sync.all.pred %p1, %p2;
shfl.sync.down.b32 %r1, %r2, 1, 31; | shfl.sideways.b32 %r1,%r2,1,31;  | shfl.down.b64 %d1,%d2,1,31;
match.some.sync.b32 %r1,%r2,-1;   | redux.sync.mul.u32 %r1,%r2,-1;     | elect.sync %r1, -1;
ret 5;                            | ret %r1;                           | exit now;
trap 1;                           | brkpt 1;                           | membar;
membar.everything;                | fence.sc;                          | fence.acq_rel.somewhere;
prefetch.global.L9 [%d1];         | isspacep.nothing %p1, %d1;         | nanosleep;
.reg .u32 %r1;                    | .reg .u32;                         | .reg .v9 .u32 %q;
.reg .u32 %q<>;                   | .reg .u32 %q<0>;                   | .reg .u32 %q<-5>;
.reg .u32 %q<99999999999>;        | .reg .u32 %q<1e3>;                 | .reg .u31 %q;
.shared .u32 tile[4];             | .shared .u32 b[-1];                | .shared .u32 b[99999999999999999999];
.shared .u32 b[1][;               | .shared .align 3 .u32 b;           | .shared .align 0 .u32 b;
.shared .align 1099511627776 .u32 b; | .shared .u32 b = 5;             | .shared .f16x2 b[];
.local .b8 l[99999999999];        | .local .b8 l[] ;                   | .const .u32 c[2] = {1,2,3};
.param .u32 q[;                   | .global .u32 g = {1};              | .global .u32 g = nothing;
.global .u8 g = 999999;           | .global .f32 g = k;                | .global .u32 g[2][2] = {{1,2},{3,4},{5,6}};
{ add.u32 %r1, %r2, %r3;          | }                                  | } }
.pragma;                          | .pragma "x;                        | .loc 1;
.loc 1 2 3 4 5 6 7 8;             | .branchtargets L1, L2;             | T: .branchtargets nowhere; brx.idx %r1, T;
brx.idx %r1, nothing;             | brx.idx %p1, L; L: ret;            | .callprototype _ ();
frobnicate.u32 %r1, %r2;          | ADD.U32 %r1, %r2, %r3;             | add.U32 %r1, %r2, %r3;
cp.async.ca.shared.global [%r1],[%d1],5; | cp.async.cg.shared.global [%r1],[%d1],4; | cp.async.wait_group -1, 2;
cp.async;                         | cp.async.bulk.global.shared [%d1],[%r1],7; | mbarrier.init.shared.b64 [%p1], 1;
mbarrier.arrive.shared.b64 %r1, [%r2]; | mbarrier.try_wait.b64 %p1;    | mapa.u32 %r1, %r2;
barrier.cluster;                  | barrier.cluster.arrive.wait;       | getctarank.u64 %p1, %d1;
"add.u32" %r1, %r2, %r3;          | add.u32 "%r1", %r2, %r3;           | add.u32 %r1, %r2, 'a';
#include <x>                      | $;                                 | `rm -rf /`;
%;                                | %%%;                               | _:;
wgmma.fence.sync.aligned;         | wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.mma_async.sync.aligned.m64n99999999k16.f32.f16.f16 {%f1}, %d1, %d2, 1, 1, 1, 0, 0; | wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16 {%f1}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.mma_async.sync.aligned.m64nk16.f32.f16.f16 {%f1}, %d1; | wgmma.mma_async.sync.aligned.m64n512k16.f32.f16.f16 {%f1}, %d1, %d2, 1, 1, 1, 0, 0;
"""

# Those above that ptxas takes, too, or that older PTX had: no crash is all that counts.
TAKEN = {"add.f32.rn %f1, %f2, %f3;", "add.u32 %r1, %tid.w, %r2;", "add.u32 %r1, %r2, -9223372036854775808/-1;", "add.u32 %r1, %r2, 1<<64;",
    "ld.global.u32 %r1, [%r1];",
         "ld.param.u32 %r1, [%d1];", "bar.sync 0, 0;", "cvta.global.u64 %d1, 5;", "sqrt.f32 %f1, %f2;", "sin.f32 %f1, %f2;",
         "lop3.b32 %r1, %r2, %r3, %r4, 256;", "ld.param.u32 %r1, [x+4096];", ".global .u8 g = 999999;", ".global .u32 g = {1};",
         "ld.global.v4.u64 {%d1,%d2,%d3,%d4}, [%d1];", ".local .b8 l[99999999999];"}

MODULES = """
.version 7.0                       | .target sm_75                     | .address_size 64
.version                           | .version seven                    | .version 7
.version 99.9                      | .version -1.0                     | .version 7.0.0
.target                            | .target sm_                       | .target sm_99999
.target sm_75, sm_80               | .target sm_75, nonsense           | .target 75
.address_size                      | .address_size 16                  | .address_size 65
.global .u32 k;                    | .entry k() { ret; }               | .entry () { ret; }
.entry                             | .entry f                          | .entry f(
.entry f(.param)                   | .entry f(.param .u32)             | .entry f(.param .u32 a,) { ret; }
.entry f(.param .u32 a, .param .u32 a) { ret; } | .entry f(.reg .u32 a) { ret; } | .entry f(.param .pred a) { ret; }
.entry f(.param .b8 a[0]) { ret; } | .entry f(.param .b8 a[-4]) { ret; } | .entry f(.param .align 7 .b8 a[4]) { ret; }
.entry f(.param .b8 a[4294967296]) { ret; } | .entry f(.param .b8 a[18446744073709551615]) { ret; } | .entry f() { ret; } }
.entry f() { ret                   | .entry f() ret;                   | .func
.func f                            | .func f(                          | .func f() { ret; } .func f() { ret; }
.func (.param .u32) f();           | .func (.reg .u32 a, f() { ret; }  | .func (.param .u32 a) f(.param .u32 a) { ret; }
.func f() { call f2; ret; }        | .func f() { .reg .u32 %q; .reg .u32 %q; ret; } | .entry f() .maxntid { ret; }
.entry f() .maxntid 0 { ret; }     | .entry f() .maxntid 1,2,3,4 { ret; } | .entry f() .maxntid -1 { ret; }
.entry f() .maxnreg x { ret; }     | .entry f() .minnctapersm { ret; } | .entry f() .reqntid 99999999999 { ret; }
.extern .entry f();                | .extern .func f() { ret; }        | .weak
.visible                           | .visible .visible .func f() { ret; } | .extern .shared .u32;
.extern .shared .u32 s[4] = {1};   | .global                           | .global .u32
.global .u32 ;                     | .global .u32 g[;                  | .global .u32 g[];
.global .u32 g[2] = {1,2,3};       | .global .u32 g[1099511627776];    | .global .u32 g[4294967296][4294967296];
.global .u32 g = 1.5;              | .global .f32 g = "text";          | .global .b8 g[4] = "text";
.global .u64 g = nothing;          | .global .u64 g = g2+;             | .global .u32 g = {1,2};
.global .u32 g[2] = 5;             | .global .u32 g[2] = {1 2};        | .global .u32 g[2] = {,};
.global .u32 g[2] = {{{{1}}}};     | .global .u32 g; .global .u32 g;   | .global .align 16777216 .u32 g;
.const .u32 c[99999];              | .const[99] .u32 c;                | .const[1 .u32 c;
.local .u32 l;                     | .param .u32 p;                    | .tex .f32 t;
.tex .u64 t; .tex .u64 t;          | .global .texref t = 5;            | .global .texref t = { filter_mode = banana };
.file                              | .file 1                           | .file 1 "x
.section                           | .section .debug_info {            | .section .debug { .b8 999 }
.alias a, b;                       | .alias k, nothing;                | .pragma "a" "b"
add.u32 %r1, %r2, %r3;             | ret;                              | L:
{                                  | }                                 | ;
;;;;                               | ()                                | ,
/* never closed                    | "never closed                     | // only a comment with \\
"""

# ---- texts that are hardly PTX at all
TEXTS = {
    "empty": "", "newline": "\n", "nul": "\0", "many_nuls": "\0" * 5000, "nul_inside": kernel("mov.u32 %r1, \0 1;"),
    "space": " " * 100000, "bom_only": "\ufeff", "two_boms": "\ufeff\ufeff" + kernel(""), "utf16": kernel("").encode("utf-16"),
    "latin1": kernel("mov.u32 %r1, 1; // ") .encode() + b"\xe9\xff\n" + b"garbage \xe9;",
    "elf": b"\x7fELF\x02\x01\x01" + b"\0" * 200,
    "fatbin": b"\x50\xed\x55\xba\x01\x00\x10\x00" + b"\0" * 100, "gzip": b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"x" * 100,
    "png": b"\x89PNG\r\n\x1a\n" + b"\0" * 60, "escape": "\x1b[2J\x1b[31mred",
    "escape_in_name": kernel("add.u32 %r1, \x1b]0;title\x07, 1;"),
    "bell": kernel("\a\a\a;"), "del": kernel("add.u32 %r1, %r\x7f1, 1;"), "c1": kernel("add.u32 %r1, \u009b31m, 1;"),
    "right_to_left": kernel("add.u32 %r1, \u202e%r2, 1;"), "emoji": kernel("add.u32 \U0001f600, %r2, 1;"),
    "cr_only": kernel("add.u32 %r1, %r2;").replace("\n", "\r"), "vertical_tab": kernel("add.u32\v%r1;"), "only_header": HEAD,
    "one_line": "x" * 1000000, "one_token": kernel("add.u32 " + "%" + "r" * 200000 + ", 1, 1;"),
    "long_label": kernel("L" * 100000 + ": bra M" + "L" * 100000 + ";"),
    "long_number": kernel("mov.u32 %r1, " + "9" * 100000 + ";"),
    "long_hex": kernel("mov.u32 %r1, 0x" + "f" * 100000 + ";"), "long_string": HEAD + '.file 1 "' + "a" * 500000,
    "long_mnemonic": kernel("add" + ".sat" * 20000 + ".u32 %r1, %r2, %r3;"),
    "many_operands": kernel("add.u32 " + "%r1, " * 50000 + "%r1;"),
    "deep_parentheses": kernel("mov.u32 %r1, " + "(" * 30000 + "1" + ")" * 30000 + ";"),
    "deep_casts": kernel("mov.u32 %r1, " + "(.s64)" * 30000 + "1;"), "deep_minus": kernel("mov.u32 %r1, " + "-" * 50001 + "1;"),
    "deep_not": kernel("mov.u32 %r1, " + "!" * 60000 + "1;"), "deep_tilde": kernel("mov.u32 %r1, " + "~" * 60000 + ";"),
    "deep_ternary": kernel("mov.u32 %r1, " + "1?" * 30000 + "1" + ":1" * 30000 + ";"), "deep_braces": kernel("{" * 50000),
    "closed_braces": kernel("}" * 50000), "deep_scopes": kernel("{" * 40000 + "ret;" + "}" * 40000 + "x"),
    "deep_vector": kernel("mov.b64 " + "{" * 30000 + "%r1" + "}" * 30000 + ", %d1;"),
    "deep_initialiser": HEAD + ".global .u32 g[1] = " + "{" * 60000 + "1" + "}" * 60000 + ";",
    "deep_address": kernel("ld.u32 %r1, " + "[" * 60000),
    "deep_comment": HEAD + "/*" * 50000, "many_errors": kernel("wrong;\n" * 20000),
    "many_labels": kernel("".join(f"L: \n" for _ in range(5000))),
    "many_kernels": HEAD + ".entry k() { ret; }\n" * 2000, "dimensions": HEAD + ".global .u8 g" + "[2]" * 200 + ";",
    "many_dimensions": HEAD + ".global .u8 g" + "[1]" * 60000 + "x;", "percent": kernel("add.u32 %s%n%d, %r1, %r2;"),
    "format": kernel("add.u32 {}{0}{1:x}, %r1, %r2;"), "backslash": kernel("add.u32 \\, %r1, %r2;"), "quote": kernel("'"),
    "tab_caret": kernel("\t\t\tadd.u32\t%r1,\t%r2;"),
    "html": "<!DOCTYPE html><html><body>404</body></html>", "json": '{"a": 1}', "yaml": "module: x.ptx\n",
    "cuda": "__global__ void k() {}\n",
    "sass": "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n",
    "llvm": "; ModuleID = 'k'\ntarget triple = \"nvptx64\"\n",
    "truncated": kernel("add.u32 %r1, %r2, %r3;")[:-9], "version_only": ".version", "version_eof": ".version 7.",
    "trailing": kernel("") + "trailing words",
}

# ---- kernels that fault when they run: bodies after `ld.param.u64 %d1, [x]; mov.u32 %r1, %tid.x;`
FAULTS = {
    "load_null": "mov.u64 %d2, 0; ld.global.u32 %r2, [%d2];", "load_far": "mov.u64 %d2, -8; ld.global.u32 %r2, [%d2];",
    "load_behind": "ld.global.u32 %r2, [%d1+256];", "load_before": "ld.global.u32 %r2, [%d1+-4];",
    "misaligned": "ld.global.u32 %r2, [%d1+2];",
    "misaligned_v4": "ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%d1+4];", "misaligned_64": "ld.global.u64 %d2, [%d1+4];",
    "half_outside": "ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%d1+256];", "store_null": "mov.u64 %d2, 0; st.global.u32 [%d2], %r1;",
    "store_far": "mov.u64 %d2, 0x7fffffffffffff00; st.global.u32 [%d2], %r1;",
    "wraps": "ld.global.u64 %d2, [%d1+0x7ffffffffffffff8];",
    "atomic_null": "mov.u64 %d2, 0; atom.global.add.u32 %r2, [%d2], 1;",
    "atomic_misaligned": "atom.global.add.u32 %r2, [%d1+1], 1;",
    "atomic_behind": "red.global.add.u32 [%d1+4096], 1;",
    "cas_far": "mov.u64 %d2, 0xdeadbeef0000; atom.global.cas.b64 %d3, [%d2], %d1, %d1;",
    "shared_far": "mov.u32 %r2, 0x7ffffff0; ld.shared.u32 %r3, [%r2];",
    "shared_misaligned": "mov.u64 %d2, tile; ld.shared.u32 %r3, [%d2+1];",
    "shared_store_far": "mov.u32 %r2, 65536; st.shared.u32 [%r2], %r1;",
    "shared_atomic_far": "mov.u32 %r2, 1048576; atom.shared.add.u32 %r3, [%r2], 1;",
    "shared_negative": "mov.u64 %d2, -4; ld.shared.u32 %r3, [%d2];",
    "local_far": "mov.u64 %d2, stack; add.u64 %d2, %d2, 0x40000000; ld.local.u32 %r3, [%d2];",
    "local_store_far": "mov.u64 %d2, 0x3ffffff0; st.local.u32 [%d2], %r1;",
    "local_misaligned": "mov.u64 %d2, stack; ld.local.u64 %d3, [%d2+4];",
    "const_far": "mov.u64 %d2, 1048576; ld.const.u32 %r2, [%d2];", "generic_null": "mov.u64 %d2, 0; ld.u32 %r2, [%d2];",
    "generic_far": "mov.u64 %d2, 0x123456789abc; st.u32 [%d2], %r1;",
    "call_null": "mov.u64 %d2, 0; P: .callprototype _ (); call %d2, (), P;",
    "call_garbage": "mov.u64 %d2, 0x1234567; P: .callprototype _ (); call %d2, (), P;", "trap": "trap;",
    "trap_one": "setp.eq.u32 %p1, %r1, 33; @%p1 trap;",
    "endless": "L: bra L;", "endless_store": "L: st.global.u32 [%d1], %r1; bra L;", "endless_pair": "L: bra M; M: bra L;",
    "poll": "L: ld.volatile.global.u32 %r2, [%d1]; setp.eq.u32 %p1, %r2, 77; @!%p1 bra L;",
    "count_forever": "L: add.u32 %r2, %r2, 1; bra L;", "barrier_forever": "L: bar.sync 0; bra L;",
    "barrier_half": "setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 64; @!%p1 bar.sync 2, 64;",
    "atomic_forever": "L: atom.global.add.u32 %r2, [%d1], 1; bra L;", "clock_forever": "L: mov.u32 %r2, %clock; bra L;",
}
HARMLESS = {
    "divide_by_zero": "mov.u32 %r2, 0; div.u32 %r3, %r1, %r2; rem.s32 %r4, %r1, %r2;",
    "smallest_by_minus_one": "mov.u32 %r2, 0x80000000; mov.u32 %r3, -1; div.s32 %r4, %r2, %r3; rem.s32 %r5, %r2, %r3;",
    "shift_far": "mov.u32 %r2, 4294967295; shl.b32 %r3, %r1, %r2; shr.s32 %r4, %r1, %r2; shl.b64 %d2, %d1, %r2;",
    "bfe_far": "bfe.u32 %r2, %r1, 255, 255; bfi.b32 %r3, %r1, %r1, 4294967295, 4294967295;",
    "convert_nan": "mov.f32 %f1, 0f7FFFFFFF; cvt.rzi.s32.f32 %r2, %f1; cvt.rzi.u64.f32 %d2, %f1; cvt.rn.f64.s64 %g1, %d2;",
    "convert_huge": "mov.f64 %g1, 0d7FEFFFFFFFFFFFFF; cvt.rn.f32.f64 %f1, %g1; cvt.rzi.s8.f64 %h1, %g1;",
    "sine_huge": "mov.f32 %f1, 0f7F7FFFFF; sin.approx.f32 %f2, %f1; cos.approx.f32 %f3, %f1; ex2.approx.f32 %f4, %f1; lg2.approx.f32 %f5, %f1;",
    "divergent_exit": "setp.lt.u32 %p1, %r1, 5; @%p1 exit; bar.sync 0;",
    "guard_all": "setp.eq.u32 %p1, %r1, 999; @%p1 trap; @%p1 ld.global.u32 %r2, [%d9];",
    "shuffle_odd": "shfl.sync.idx.b32 %r2|%p1, %r1, 4294967295, 4294967295, -1; shfl.sync.up.b32 %r3, %r1, 99, 0, -1;",
    "mask_zero": "vote.sync.any.pred %p1, %p1, 0;",
    "mask_others": "setp.lt.u32 %p1, %r1, 16; @%p1 vote.sync.all.pred %p2, %p2, 0xffff0000;",
    "activemask": "setp.lt.u32 %p1, %r1, 16; @%p1 activemask.b32 %r2;",
    "barrier_many": "bar.sync 15; bar.sync 0; bar.arrive 3, 128;",
    "prmt_odd": "prmt.b32 %r2, %r1, %r1, 0xffffffff; lop3.b32 %r3, %r1, %r1, %r1, 255;", "empty_body": "",
    "uninitialised": "add.u32 %r2, %r3, %r4; st.global.u32 [%d1], %r2;", "same_store": "st.global.u32 [%d1], %r1;",
    "scope": "{ .reg .u32 %r1; mov.u32 %r1, 5; } { .shared .u32 tile; st.shared.u32 [tile], %r1; }",
    "nanosleep": "nanosleep.u32 4294967295;",
    "clock": "mov.u32 %r2, %clock; mov.u64 %d2, %clock64; mov.u64 %d3, %globaltimer; mov.u32 %r3, %smid;",
}

# ---- recursion at run time, and control flow that only functions have
MODULES_THAT_RUN = {
    "recursion": (".func f() { call f; ret; }", "call f;"),
    "mutual_recursion": (".func g(); .func f() { call g; ret; } .func g() { call f; ret; }", "call f;"),
    "recursion_with_stack": (".func f() { .local .b8 s[4096]; .reg .b64 a; mov.u64 a, s; st.local.u32 [a], 1; call f; ret; }",
    "call f;"),
    "table_of_nothing": (".global .u64 t[2];",
    "mov.u64 %d2, t; ld.global.u64 %d3, [%d2]; P: .callprototype _ (); call %d3, (), P;"),
    "extern_function": (".extern .func f();", "call f;"),
    "extern_variable": (".extern .global .u32 g[];", "mov.u64 %d2, g; ld.global.u32 %r2, [%d2];"),
    "brx_outside": ("", "mov.u32 %r2, 1000; T: .branchtargets L, M; brx.idx %r2, T; L: ret; M: ret;"),
    "brx_negative": ("", "mov.u32 %r2, -1; T: .branchtargets L; brx.idx %r2, T; L: ret;"),
}


def cases():
    check = ["ptx", "k.ptx"]
    lines = [cell.strip() for line in INSTRUCTIONS.strip().splitlines() for cell in line.split(" | ")]
    for number, line in enumerate(lines):
        yield Case(f"ptx/instruction/{number}", check, {"k.ptx": kernel("  " + line)},
                   HANDLED - {1, 3} if line in TAKEN else BAD_INPUT)
    modules = [cell.strip() for line in MODULES.strip().splitlines() for cell in line.split(" | ")]
    # Some of these are fine where they stand (a label, a pragma, an empty statement in some versions): what counts is the end.
    for number, line in enumerate(modules):
        yield Case(f"ptx/module/{number}", check, {"k.ptx": kernel("", module=line)}, HANDLED - {1, 3})
        yield Case(f"ptx/module_at_the_end/{number}", check, {"k.ptx": kernel("") + line}, HANDLED - {1, 3})
    for name, text in TEXTS.items():
        yield Case(f"ptx/text/{name}", check, {"k.ptx": text}, HANDLED - {1, 3})
        yield Case(f"ptx/run/{name}", ["run", "k.ptx", *RUN], {"k.ptx": text}, HANDLED - {1})
    start = "  ld.param.u64 %d1, [x]; mov.u32 %r1, %tid.x;\n  "
    for allowed, bodies in ((REFUSED, FAULTS), (HANDLED - {1}, HARMLESS)):
        for name, body in bodies.items():
            text = kernel(start + body)
            yield Case(f"ptx/runs/{name}", ["run", "k.ptx", *RUN], {"k.ptx": text}, allowed)
            timed = ["geforce-gtx-480" if word == "generic" else word for word in RUN]
            yield Case(f"ptx/runs_timed/{name}", ["run", "k.ptx", *timed], {"k.ptx": text}, HANDLED - {1})
    for name, (module, body) in MODULES_THAT_RUN.items():
        yield Case(f"ptx/functions/{name}", ["run", "k.ptx", *RUN], {"k.ptx": kernel(start + body, module=module)}, HANDLED - {1})
