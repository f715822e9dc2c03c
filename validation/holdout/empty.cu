// A kernel that does nothing: what it takes to start and end blocks.
//
//   nvcc -ptx -arch=compute_75 -lineinfo empty.cu -o empty.ptx
extern "C" __global__ void empty() {}
