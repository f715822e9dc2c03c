#!/usr/bin/env python3
"""without_landlock.py PROGRAM ARGS...: runs a program that cannot use Landlock: there are already as many layers of it as
a process may have (16), each of which allows everything. So the other protections are tested."""
import ctypes
import os
import struct
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF, NO_NEW_PRIVS = 444, 445, 446, 38
ALL = (1 << 13) - 1
LAYERS = 16


def fill_layers():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0)
    root = os.open("/", os.O_PATH)
    for _ in range(LAYERS):
        attributes = ctypes.c_uint64(ALL)
        ruleset = libc.syscall(CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(8), 0)
        if ruleset < 0:
            return  # this kernel has none
        rule = ctypes.create_string_buffer(struct.pack("=Qi", ALL, root))
        libc.syscall(ADD_RULE, ruleset, 1, rule, 0)
        libc.syscall(RESTRICT_SELF, ruleset, 0)
        os.close(ruleset)


fill_layers()
os.execv(sys.argv[1], sys.argv[1:])
