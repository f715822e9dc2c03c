// The types of graphs in the CUDA runtime's binary interface (the toolkit's header with the driver's types).
#pragma once

#include "cuda/abi.h"

namespace warptime::cuda {

enum class NodeKind : int {  // cudaGraphNodeType
  Kernel = 0,
  Copy = 1,
  Fill = 2,
  Host = 3,
  Graph = 4,
  Empty = 5,
  WaitEvent = 6,
  RecordEvent = 7,
  Allocate = 10,
  Free = 11,
};

struct KernelNode {  // cudaKernelNodeParams
  const void* function;
  Extent3 grid, block;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
};
struct FillNode {  // cudaMemsetParams
  void* to;
  size_t pitch;
  unsigned value, element_bytes;
  size_t width, height;
};
struct HostNode {  // cudaHostNodeParams
  void (*function)(void*);
  void* data;
};
struct CopyNode {  // cudaMemcpyNodeParams
  int flags, reserved[3];
  Copy3D copy;
};
struct AllocateNode {  // cudaMemAllocNodeParams
  char pool[88];       // cudaMemPoolProps
  const void* access;
  size_t access_count, bytes;
  void* pointer;
};
struct AnyNode {  // cudaGraphNodeParams
  NodeKind kind;
  int reserved[3];
  union {
    long long pad[29];
    KernelNode kernel;
    CopyNode copy;
    FillNode fill;
    HostNode host;
    void* graph;
    void* event;
    void* pointer;  // to be freed
    AllocateNode allocate;
  };
  long long reserved_2;
};
struct EdgeData {  // cudaGraphEdgeData
  unsigned char from_port, to_port, type, reserved[5];
};
struct GraphUpdateResult {  // cudaGraphExecUpdateResultInfo
  int result;
  void *node, *from_node;
};
struct InstantiateParameters {  // cudaGraphInstantiateParams
  unsigned long long flags;
  void* stream;
  void* error_node;
  int result;
};

}  // namespace warptime::cuda
