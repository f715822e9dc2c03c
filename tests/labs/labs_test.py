#!/usr/bin/env python3
"""labs_test.py WARPTIME PART: tests of `warptime grade`, of the labs in labs/, and of `expect_figures`.

parts: figures   limits in launch files: what is met, missed and refused, with its place
       labs      right solutions get full points, wrong ones are caught with the right reason
       reports   JSON, tables, reports, exit statuses
       hostile   PTX and files that should harm the grader
       compiler  CUDA sources, with a compiler made for this test
       compilers CUDA sources, with nvcc and clang++ where they are
       classroom the files for autograders"""
import importlib
import sys

import harness

importlib.import_module(f"part_{sys.argv[2]}").test()
harness.finish()
