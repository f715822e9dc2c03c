#!/usr/bin/env python3
"""Runs a launch file of programs/ on a real GPU, through its driver: run_program.py LAUNCH.yaml MODULE.cubin

It knows the keys that these files use. Exit status: 0 as expected, 1 other outputs than `expect:`, 2 the driver
reported an error (a fault of the kernel, for example).
"""
import ctypes
import itertools
import pathlib
import struct
import sys

import yaml

FORMATS = {"u8": "B", "u16": "H", "u32": "I", "s32": "i", "f32": "f", "u64": "Q"}
CUDA = ctypes.CDLL("libcuda.so.1")
R32, FORMAT_U32, CLAMP, POINT, LINEAR_MEMORY = 0, 3, 1, 0, 2
READ_AS_INTEGER = 1


def call(name, *arguments):
    status = getattr(CUDA, name)(*arguments)
    if status != 0:
        text = ctypes.c_char_p()
        CUDA.cuGetErrorName(status, ctypes.byref(text))
        print(f"{name}: {(text.value or b'?').decode()}", flush=True)
        sys.exit(2)


class LinearResource(ctypes.Structure):
    """CUDA_RESOURCE_DESC of linear memory."""
    _fields_ = [("kind", ctypes.c_int), ("address", ctypes.c_uint64), ("format", ctypes.c_int), ("channels", ctypes.c_uint),
                ("bytes", ctypes.c_size_t), ("rest", ctypes.c_int * 26), ("flags", ctypes.c_uint)]


class TextureDescription(ctypes.Structure):
    """CUDA_TEXTURE_DESC."""
    _fields_ = [("address", ctypes.c_int * 3), ("filter", ctypes.c_int), ("flags", ctypes.c_uint), ("rest", ctypes.c_int * 20)]


class Buffer:
    def __init__(self, description):
        self.format = FORMATS[description["type"]]
        values = description.get("values")
        self.count = len(values) if values else description["count"]
        init = description.get("init")
        if init is not None and values is None:
            iota = {} if init == "iota" else init["iota"]  # no other one is known
            values = [iota.get("start", 0) + iota.get("step", 1) * i for i in range(self.count)]
        self.bytes = struct.calcsize(self.format) * self.count
        self.address = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(self.bytes))
        data = struct.pack(f"<{self.count}{self.format}", *(values or itertools.repeat(0, self.count)))
        call("cuMemcpyHtoD_v2", self.address, data, ctypes.c_size_t(self.bytes))

    def read(self):
        data = ctypes.create_string_buffer(self.bytes)
        call("cuMemcpyDtoH_v2", data, self.address, ctypes.c_size_t(self.bytes))
        return list(struct.unpack(f"<{self.count}{self.format}", data.raw))


def texture_of(description, buffers):
    buffer = buffers[description["buffer"]]
    resource = LinearResource(kind=LINEAR_MEMORY, address=buffer.address.value, format=FORMAT_U32, channels=1,
                              bytes=4 * description["width"])
    sampling = TextureDescription(address=(ctypes.c_int * 3)(CLAMP, CLAMP, CLAMP), filter=POINT, flags=READ_AS_INTEGER)
    handle = ctypes.c_uint64()
    call("cuTexObjectCreate", ctypes.byref(handle), ctypes.byref(resource), ctypes.byref(sampling), None)
    return handle


def argument(value, buffers, textures):
    if isinstance(value, str):
        return buffers[value].address
    if "address" in value:
        return ctypes.c_uint64(buffers[value["address"]].address.value + value.get("offset", 0))
    if "texture" in value:
        return textures[value["texture"]]
    if "bytes" in value:
        data = bytes.fromhex(value["bytes"])
        return (ctypes.c_ubyte * len(data))(*data)
    return ctypes.c_uint32(value["u32"])


def launch(step, module, buffers, textures):
    kernel = ctypes.c_void_p()
    call("cuModuleGetFunction", ctypes.byref(kernel), module, step["kernel"].encode())
    arguments = [argument(value, buffers, textures) for value in step.get("args", [])]
    pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(a) for a in arguments])
    shape = [(step[key] + [1, 1])[:3] for key in ("grid", "block")]
    call("cuLaunchKernel", kernel, *map(ctypes.c_uint, shape[0] + shape[1]), ctypes.c_uint(step.get("shared_bytes", 0)),
         None, pointers, None)
    call("cuCtxSynchronize")


def main():
    file, cubin = map(pathlib.Path, sys.argv[1:])
    program = yaml.safe_load(file.read_text())
    call("cuInit", 0)
    device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), cubin.read_bytes())
    buffers = {name: Buffer(description) for name, description in program.get("buffers", {}).items()}
    textures = {name: texture_of(description, buffers) for name, description in program.get("textures", {}).items()}
    for step in program["launches"]:
        launch(step, module, buffers, textures)
    wrong = 0
    for name, expected in program.get("expect", {}).items():
        found = buffers[name].read()
        if found != expected["values"]:
            print(f"{name}: {found} where {expected['values']} was expected", flush=True)
            wrong = 1
    for handle in textures.values():
        call("cuTexObjectDestroy", handle)
    for buffer in buffers.values():
        call("cuMemFree_v2", buffer.address)
    call("cuModuleUnload", module)
    call("cuDevicePrimaryCtxRelease_v2", device)
    print("done", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
