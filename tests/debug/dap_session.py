#!/usr/bin/env python3
"""Sessions of `warptime debug --dap` as an editor has them: breakpoints, variables, steps forwards and backwards.

    tests/debug/dap_session.py build/warptime
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from dap_client import Client

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv[1]
PTX = str(ROOT / "workloads/matmul/matmul.ptx")
CUDA = str(ROOT / "workloads/matmul/matmul.cu")


def begin(client, **launch):
    capabilities = client.body("initialize", {"adapterID": "warptime", "linesStartAt1": True})
    assert capabilities["supportsStepBack"] and capabilities["supportsConditionalBreakpoints"]
    client.event("initialized")
    client.body("launch", launch)


def top_frame(client, thread):
    return client.body("stackTrace", {"threadId": thread, "startFrame": 0, "levels": 1})["stackFrames"][0]


def scope(client, frame, name):
    """The reference of a scope's variables."""
    scopes = client.body("scopes", {"frameId": frame["id"]})["scopes"]
    return next(scope["variablesReference"] for scope in scopes if scope["name"] == name)


def rows(client, reference, **part):
    """Variables by their names."""
    found = client.body("variables", {"variablesReference": reference, **part})["variables"]
    return {row["name"]: row for row in found}


def cycle(client, frame):
    return int(rows(client, scope(client, frame, "Warp"))["$cycle"]["value"])


def test_matmul():
    client = Client([PROGRAM, "debug", "matmul:tiled", "--param", "n=32", "--dap"])
    begin(client)
    state = client.body("setBreakpoints", {"source": {"path": PTX}, "breakpoints": [{"line": 600, "condition": "%tid.x == 3"}]})
    assert [point["verified"] for point in state["breakpoints"]] == [False]
    client.body("setExceptionBreakpoints", {"filters": []})
    client.body("configurationDone")
    changed = client.event("breakpoint")["breakpoint"]
    assert changed["verified"] and changed["line"] == 600, changed
    stop = client.event("stopped")
    assert stop["reason"] == "breakpoint" and stop["hitBreakpointIds"] == [state["breakpoints"][0]["id"]], stop

    threads = client.body("threads")["threads"]
    assert stop["threadId"] in [thread["id"] for thread in threads] and len(threads) == 32, threads
    frame = top_frame(client, stop["threadId"])
    assert frame["name"] == "tiled_16" and frame["source"]["path"] == CUDA and frame["line"] == 41, frame

    registers = client.body("variables", {"variablesReference": scope(client, frame, "Registers")})["variables"]
    loaded = next(row for row in registers if row["name"] == "%r1")
    lanes = client.body("variables", {"variablesReference": loaded["variablesReference"]})["variables"]
    assert len(lanes) == 32 and lanes[3]["name"] == "[3]", lanes
    assert client.body("evaluate", {"expression": "%tid.x * 2", "frameId": frame["id"]})["result"] == "6"
    wrong = client.request("evaluate", {"expression": "%tid.x +", "frameId": frame["id"], "context": "watch"})
    assert not wrong["success"] and "missing" in wrong["message"], wrong
    listed = client.body("evaluate", {"expression": "info break", "context": "repl"})["result"]
    assert ":600" in listed and "%tid.x == 3" in listed, listed

    # A step forwards and back leads to the same cycle, and the values are the same.
    before = cycle(client, frame)
    values = [row["value"] for row in registers]
    client.body("setBreakpoints", {"source": {"path": PTX}, "breakpoints": []})
    client.body("next", {"threadId": stop["threadId"], "granularity": "instruction"})
    assert client.event("stopped")["reason"] == "step"
    frame = top_frame(client, stop["threadId"])
    assert cycle(client, frame) == before + 1
    client.body("stepBack", {"threadId": stop["threadId"], "granularity": "instruction"})
    client.event("stopped")
    frame = top_frame(client, stop["threadId"])
    assert cycle(client, frame) == before
    again = client.body("variables", {"variablesReference": scope(client, frame, "Registers")})["variables"]
    assert [row["value"] for row in again] == values

    client.body("stepIn", {"threadId": stop["threadId"]})
    client.event("stopped")
    client.body("reverseContinue", {"threadId": stop["threadId"]})
    assert client.event("stopped")["reason"] == "entry"
    client.body("continue", {"threadId": stop["threadId"]})
    assert client.event("exited")["exitCode"] == 0
    client.event("terminated")
    client.body("disconnect")
    status, error = client.end()
    assert (status, error) == (0, ""), (status, error)


def test_cuda_line_and_entry():
    client = Client([PROGRAM, "debug", "matmul:tiled", "--param", "n=32", "--dap"])
    begin(client, stopOnEntry=True)
    client.body("configurationDone")
    assert client.event("stopped")["reason"] == "entry"
    state = client.body("setBreakpoints", {"source": {"path": CUDA}, "breakpoints": [{"line": 39}, {"line": 100000}]})
    assert [point["verified"] for point in state["breakpoints"]] == [True, False], state
    client.body("continue", {"threadId": 1})
    stop = client.event("stopped")
    assert top_frame(client, stop["threadId"])["line"] == 39
    client.body("setBreakpoints", {"source": {"path": CUDA}, "breakpoints": []})
    # A step leaves a line of several instructions.
    lines = [39]
    for _ in range(2):
        client.body("stepIn", {"threadId": stop["threadId"]})
        client.event("stopped")
        lines.append(top_frame(client, stop["threadId"])["line"])
    assert lines[0] != lines[1] != lines[2], lines
    client.body("evaluate", {"expression": "goto cycle 500", "context": "repl"})
    stop = client.event("stopped")
    assert cycle(client, top_frame(client, stop["threadId"])) == 500
    client.body("disconnect")
    assert client.end() == (0, "")


def test_fault():
    client = Client([PROGRAM, "debug", str(ROOT / "tests/debug/out_of_bounds.yaml"), "--dap"])
    begin(client)
    client.body("configurationDone")
    stop = client.event("stopped")
    assert stop["reason"] == "exception" and "out-of-bounds" in stop["text"], stop
    assert client.body("evaluate", {"expression": "%tid.x"})["result"] == "0"
    client.body("continue", {"threadId": stop["threadId"]})
    assert client.event("exited")["exitCode"] == 3
    client.event("terminated")
    client.body("disconnect")
    assert client.end()[0] == 3


def test_another_warp():
    client = Client([PROGRAM, "debug", "reduce:interleaved-divergent", "--param", "n=1024", "--dap"])
    begin(client)
    client.body("setExceptionBreakpoints", {"filters": ["divergence"]})
    client.body("configurationDone")
    stop = client.event("stopped")
    assert stop["reason"] == "breakpoint" and stop["text"] == "16 of 32 lanes branched", stop

    # The values of the lanes are those that print/all shows; inactive lanes are in parentheses.
    registers = rows(client, scope(client, top_frame(client, stop["threadId"]), "Registers"))
    ask = {"variablesReference": registers["%r3"]["variablesReference"]}
    lanes = client.body("variables", ask)["variables"]
    assert [lane["value"] for lane in lanes] == [f"({n})" if n % 2 else f"{n}" for n in range(32)], lanes
    part = client.body("variables", {**ask, "filter": "indexed", "start": 4, "count": 2})["variables"]
    assert part == lanes[4:6], part
    assert client.body("variables", {**ask, "filter": "indexed", "start": 30})["variables"] == lanes[30:]

    # The frame says whose values they are, whichever warp is in focus.
    threads = {thread["name"]: thread["id"] for thread in client.body("threads")["threads"]}
    other = top_frame(client, threads["SM 0 warp 3: block (0,0,0) warp 3"])
    assert client.body("evaluate", {"expression": "%tid.x", "frameId": other["id"]})["result"] == "96"
    special = rows(client, scope(client, other, "Special registers"))
    assert special["%warpid"]["value"] == "3" and special["%tid.x"]["value"] == "96", special
    client.body("disconnect")
    assert client.end() == (0, "")


def test_calls():
    client = Client([PROGRAM, "debug", str(ROOT / "tests/debug/calls.yaml"), "--dap"])
    begin(client)
    client.body("setBreakpoints", {"source": {"path": str(ROOT / "tests/debug/calls.ptx")}, "breakpoints": [{"line": 5}]})
    client.body("configurationDone")
    thread = client.event("stopped")["threadId"]
    names = lambda **some: [frame["name"] for frame in client.body("stackTrace", {"threadId": thread, **some})["stackFrames"]]
    assert names() == ["twice", "four_times", "calls"] and names(startFrame=1, levels=1) == ["four_times"]
    client.body("setBreakpoints", {"source": {"path": str(ROOT / "tests/debug/calls.ptx")}, "breakpoints": []})
    for request, name in (("stepOut", "four_times"), ("stepIn", "twice"), ("stepBack", "four_times"), ("next", "four_times")):
        client.body(request, {"threadId": thread})
        assert client.event("stopped")["reason"] == "step"
        assert names()[0] == name, (request, names())
    client.body("disconnect")
    assert client.end() == (0, "")


def test_pause():
    client = Client([PROGRAM, "debug", "matmul:tiled", "--param", "n=512", "--dap"])
    begin(client, stopOnEntry=True)
    client.body("configurationDone")
    client.event("stopped")
    client.body("continue", {"threadId": 1})
    client.body("pause", {"threadId": 1})
    assert client.event("stopped")["reason"] == "pause"
    client.body("disconnect")
    assert client.end() == (0, "")


def test_findings():
    target = [PROGRAM, "debug", str(ROOT / "docs/examples/block_sum_no_barrier.yaml")]
    filters = lambda client: {f["filter"]: f["default"] for f in client.body("initialize", {"adapterID": "warptime"})["exceptionBreakpointFilters"]}
    client = Client([*target, "--dap"])
    assert filters(client) == {"divergence": False, "barrier": False, "launch": False}
    client.body("disconnect")
    assert client.end() == (0, "")
    client = Client([*target, "--check-races", "--dap"])
    assert filters(client) == {"finding": True, "divergence": False, "barrier": False, "launch": False}
    client.event("initialized")
    client.body("launch")
    client.body("setExceptionBreakpoints", {"filters": ["finding"]})
    client.body("configurationDone")
    stop = client.event("stopped")
    assert stop["text"].startswith("race_war_shared: a write of 128 in shared memory"), stop
    assert top_frame(client, stop["threadId"])["line"] == 5
    client.body("continue", {"threadId": stop["threadId"]})
    assert client.event("exited")["exitCode"] == 3
    client.body("disconnect")
    assert client.end() == (3, "")


def test_wrong_messages():
    good = b'{"seq": 1, "type": "request", "command": "threads"}'
    for data in (b"hello\r\n\r\n", b"Content-Length: x\r\n\r\n{}", b"Content-Length: 2\r\n\r\n[]", b"Content-Length: 9\r\n\r\n{",
                 b"Content-Length: 99999999999999\r\n\r\n{}", b"x" * 10000, b"Content-Length: %d\r\n\r\n%s!" % (len(good) + 1, good)):
        client = Client([PROGRAM, "debug", "vecadd", "--param", "n=32", "--dap"])
        client.send_bytes(data)
        status, error = client.end()
        assert status == 2 and "Debug Adapter Protocol" in error, (data[:40], status, error)
    client = Client([PROGRAM, "debug", "vecadd", "--param", "n=32", "--dap"])
    for command, arguments in (("nothing", {}), ("stackTrace", {}), ("setBreakpoints", {"source": 3}), ("variables", {}),
                               ("continue", {"threadId": "x"}), ("evaluate", {"expression": 7}), ("next", [])):
        assert not client.request(command, arguments)["success"], command
    assert client.end() == (0, "")


# ---- The program in the launch request

def launched(**request):
    """A client of an adapter without a target; the response to its launch request."""
    client = Client([PROGRAM, "debug", "--dap"])
    client.body("initialize", {"adapterID": "warptime", "supportsInvalidatedEvent": True})
    client.event("initialized")
    return client, client.request("launch", request)


def test_launch_of_a_workload():
    client, response = launched(program="matmul:tiled", args=["--param", "n=32"], machine="geforce-8800-gtx-merge", stopOnEntry=True)
    assert response["success"], response
    client.body("configurationDone")
    stop = client.event("stopped")
    assert stop["reason"] == "entry", stop
    frame = top_frame(client, stop["threadId"])
    assert frame["source"]["path"] == CUDA, frame
    parameters = rows(client, scope(client, frame, "Parameters"))
    assert parameters["widthA"]["value"] == "32" and parameters["A"]["type"] == "float*", parameters
    assert parameters["widthA"]["variablesReference"] == 0, "a parameter is the same in all lanes"
    pointed = rows(client, parameters["B"]["variablesReference"])["*B"]
    assert client.body("evaluate", {"expression": "B[0]", "frameId": frame["id"]})["result"] == pointed["value"], pointed
    shared = rows(client, scope(client, frame, "Variables"))["As"]
    assert shared["type"] == "float[16][16]" and shared["indexedVariables"] == 16, shared
    row = rows(client, shared["variablesReference"], start=3, count=1)["[3]"]
    assert row["evaluateName"] == "As[3]" and len(rows(client, row["variablesReference"])) == 16, row
    client.body("continue", {"threadId": 1})
    assert client.event("exited")["exitCode"] == 0
    client.body("disconnect")
    assert client.end() == (0, "")


def test_launch_of_a_launch_file_with_debug_information():
    client, response = launched(program="tests/debug/debug_info.yaml", cwd=str(ROOT), machine="t4", set={"sm.max_blocks": 8})
    assert response["success"], response
    source = str(ROOT / "tests/debug/debug_info.cu")
    client.body("setBreakpoints", {"source": {"path": source}, "breakpoints": [{"line": 16}]})
    client.body("configurationDone")
    thread = client.event("stopped")["threadId"]
    frames = client.body("stackTrace", {"threadId": thread})["stackFrames"]
    assert [frame["name"] for frame in frames] == ["twice", "scale"], frames
    inner = rows(client, scope(client, frames[0], "Variables"))
    assert inner["result"]["value"] == "2", inner
    outer = rows(client, scope(client, frames[1], "Variables"))
    assert outer["v"]["value"] == "48" and outer["large"]["value"].startswith("(has no value here"), outer
    lanes = rows(client, outer["v"]["variablesReference"])
    assert len(lanes) == 32 and lanes["[5]"]["value"] == "50.5", lanes
    structure = rows(client, rows(client, scope(client, frames[1], "Parameters"))["p"]["variablesReference"])
    assert structure["tag"]["value"] == "{5, 7}" and structure["tag"]["evaluateName"] == "p.tag", structure
    watched = client.body("evaluate", {"expression": "tile", "frameId": frames[1]["id"], "context": "watch"})
    assert watched["indexedVariables"] == 16 and "[15]" in rows(client, watched["variablesReference"]), watched
    # Another lane of the warp.
    warp = scope(client, frames[1], "Warp")
    assert client.body("setVariable", {"variablesReference": warp, "name": "$lane", "value": "7"})["value"] == "7"
    client.event("invalidated")
    assert rows(client, scope(client, frames[1], "Variables"))["v"]["value"] == "51.5"
    for name, value in (("$lane", "32"), ("$lane", "x"), ("$cycle", "1")):
        refused = client.request("setVariable", {"variablesReference": warp, "name": name, "value": value})
        assert not refused["success"], refused
    client.body("evaluate", {"expression": "cuda lane 3", "context": "repl"})
    client.event("invalidated")
    client.body("disconnect")
    assert client.end() == (0, "")


def test_breakpoints_in_a_source_that_was_compiled_elsewhere():
    folder = pathlib.Path(tempfile.mkdtemp())
    for end in ("cu", "ptx", "yaml"):
        shutil.copy(ROOT / f"tests/debug/debug_info.{end}", folder)
    client, response = launched(program="debug_info.yaml", cwd=str(folder), machine="t4", stopOnEntry=True)
    assert response["success"], response
    client.body("configurationDone")
    thread = client.event("stopped")["threadId"]
    path = str(folder / "debug_info.cu")
    assert top_frame(client, thread)["source"]["path"] == path
    state = client.body("setBreakpoints", {"source": {"path": path}, "breakpoints": [{"line": 31}]})
    assert state["breakpoints"][0]["verified"], state
    client.body("continue", {"threadId": thread})
    assert top_frame(client, client.event("stopped")["threadId"])["line"] == 31
    client.body("disconnect")
    assert client.end() == (0, "")
    shutil.rmtree(folder)


def test_launch_of_a_cuda_program():
    folder = tempfile.mkdtemp()
    runtime = os.path.join(os.path.dirname(os.path.abspath(PROGRAM)), "cuda")
    subprocess.run([sys.executable, "-B", ROOT / "tests/cuda/build_programs.py", folder, runtime, "histogram"], check=True, capture_output=True)
    client, response = launched(program=os.path.join(folder, "histogram"), args=["ignored"], cwd=str(ROOT), machine="t4", stopOnEntry=True)
    assert response["success"], response
    client.body("configurationDone")
    stop = client.event("stopped")
    printed = "".join(event["body"]["output"] for event in client.events if event["event"] == "output")
    assert stop["reason"] == "entry" and top_frame(client, stop["threadId"])["source"]["name"] == "histogram.cu", stop
    client.body("disconnect")
    assert client.end() == (0, ""), printed
    shutil.rmtree(folder)


def test_launches_that_are_refused():
    for request, sentence in (({}, "\"program\" is missing"),
                              ({"program": "matmull:tiled"}, "did you mean"),
                              ({"program": "vecadd", "machine": "geforce-8800-gtz"}, "geforce-8800-gtx"),
                              ({"program": "vecadd", "machine": "generic"}, "has no timing"),
                              ({"program": "vecadd", "machine": 7}, "\"7\""),
                              ({"program": "vecadd", "args": "n=1"}, "an array of texts"),
                              ({"program": "vecadd", "args": [{}]}, "a text"),
                              ({"program": "vecadd", "args": ["--nothing"]}, "has no option"),
                              ({"program": "vecadd", "set": {"sm.max_bloks": 8}}, "sm.max_blocks"),
                              ({"program": "vecadd", "set": [1]}, "an object"),
                              ({"program": "vecadd", "checks": ["rases"]}, "--check-rases"),
                              ({"program": "vecadd", "cwd": "/nowhere"}, "/nowhere"),
                              ({"program": "nothing.yaml", "stopOnEntry": "yes"}, "nothing.yaml")):
        client, response = launched(**request)
        assert not response["success"] and sentence in response["message"], response
        assert "command line:" not in response["message"], response
        # The next one is still possible.
        assert client.request("launch", {"program": "vecadd"})["success"]
        client.body("disconnect")
        assert client.end() == (0, "")
    client = Client([PROGRAM, "debug", "vecadd", "--dap"])
    client.body("initialize")
    assert "a program of its own" in client.request("launch", {"program": "vecadd"})["message"]
    client.body("disconnect")
    assert client.end() == (0, "")


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
print("ok")
