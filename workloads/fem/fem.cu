// Explicit dynamics of an elastic solid on an irregular mesh of tetrahedra with linear displacements: three kernels a time
// step. `element_forces`: from the displacements of its corners an element's strain, stress and forces on the corners.
// `update_nodes`: a node gathers the forces of its elements and moves (central differences, lumped masses). `boundary`:
// nodes whose displacement is given.
//
// Vectors are structures of three words, each accessed for itself, or of four, which are a single access (kernels ..._four).
// Scalars of elements and nodes lie word by word. Arrays are padded to whole blocks with elements and
// nodes of no effect. Registers are few: the gradients and the stress of an element are in shared memory.
//
//   nvcc -ptx -arch=compute_75 -lineinfo fem.cu -o fem.ptx
constexpr int kElementThreads = 64, kNodeThreads = 128;

__device__ __forceinline__ void set(float3& v, float x, float y, float z) { v = make_float3(x, y, z); }
__device__ __forceinline__ void set(float4& v, float x, float y, float z) { v = make_float4(x, y, z, 0); }

// corners: nodes. gradients: of the shape functions of the last three corners (x, y, z each; that of the first is minus
// their sum). moduli: Lame's constants times the volume. forces: on the first corners of all elements, on the second, ...
template <class Vector>
__device__ __forceinline__ void find_forces(const int4* corners, const float* gradients, const float* moduli,
                                            const Vector* displacement, Vector* forces) {
  __shared__ volatile float gradient[9][kElementThreads];
  __shared__ volatile float stress[6][kElementThreads];
  int t = threadIdx.x, elements = gridDim.x * kElementThreads, e = blockIdx.x * kElementThreads + t;
#pragma unroll
  for (int word = 0; word < 9; ++word) gradient[word][t] = gradients[word * elements + e];
  int4 corner = corners[e];
  Vector first = displacement[corner.x];
  float h[9];  // of the displacement: dx/dx, dx/dy, dx/dz, dy/dx, ...
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    Vector other = displacement[k == 0 ? corner.y : k == 1 ? corner.z : corner.w];
    float dx = other.x - first.x, dy = other.y - first.y, dz = other.z - first.z;
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      float g = gradient[3 * k + j][t];
      h[j] = k == 0 ? dx * g : fmaf(dx, g, h[j]);
      h[3 + j] = k == 0 ? dy * g : fmaf(dy, g, h[3 + j]);
      h[6 + j] = k == 0 ? dz * g : fmaf(dz, g, h[6 + j]);
    }
  }
  float mu = moduli[elements + e], twice = mu + mu, pressure = moduli[e] * (h[0] + h[4] + h[8]);
  stress[0][t] = fmaf(twice, h[0], pressure);
  stress[1][t] = fmaf(twice, h[4], pressure);
  stress[2][t] = fmaf(twice, h[8], pressure);
  stress[3][t] = mu * (h[1] + h[3]);
  stress[4][t] = mu * (h[2] + h[6]);
  stress[5][t] = mu * (h[5] + h[7]);
  float sum_x = 0, sum_y = 0, sum_z = 0;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    float gx = gradient[3 * k][t], gy = gradient[3 * k + 1][t], gz = gradient[3 * k + 2][t];
    float fx = fmaf(stress[0][t], gx, fmaf(stress[3][t], gy, stress[4][t] * gz));
    float fy = fmaf(stress[3][t], gx, fmaf(stress[1][t], gy, stress[5][t] * gz));
    float fz = fmaf(stress[4][t], gx, fmaf(stress[5][t], gy, stress[2][t] * gz));
    set(forces[(k + 1) * elements + e], -fx, -fy, -fz);
    sum_x += fx;
    sum_y += fy;
    sum_z += fz;
  }
  set(forces[e], sum_x, sum_y, sum_z);
}

// corners: by node `counts` places of forces, in the order of elements. weights: time step over mass.
template <class Vector>
__device__ __forceinline__ void move(const int* counts, const int* corners, const Vector* forces, const float* weights,
                                     float step, Vector* velocity, Vector* displacement) {
  int nodes = gridDim.x * kNodeThreads, n = blockIdx.x * kNodeThreads + threadIdx.x;
  int count = counts[n];
  float fx = 0, fy = 0, fz = 0;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    Vector force = forces[corners[i * nodes + n]];
    fx += force.x;
    fy += force.y;
    fz += force.z;
  }
  float weight = weights[n];
  Vector v = velocity[n], u = displacement[n];
  set(v, fmaf(weight, fx, v.x), fmaf(weight, fy, v.y), fmaf(weight, fz, v.z));
  velocity[n] = v;
  set(displacement[n], fmaf(step, v.x, u.x), fmaf(step, v.y, u.y), fmaf(step, v.z, u.z));
}

// nodes: those whose displacement is given: in z a share of `amount`.
template <class Vector>
__device__ __forceinline__ void displace(const int* nodes, const float* shares, int count, float amount,
                                         Vector* displacement) {
  int i = blockIdx.x * kNodeThreads + threadIdx.x;
  if (i < count) set(displacement[nodes[i]], 0, 0, shares[i] * amount);
}

#define KERNELS(suffix, Vector)                                                                                      \
  extern "C" __global__ void element_forces##suffix(const int4* corners, const float* gradients, const float* moduli, \
                                                    const Vector* displacement, Vector* forces) {                    \
    find_forces(corners, gradients, moduli, displacement, forces);                                                   \
  }                                                                                                                  \
  extern "C" __global__ void update_nodes##suffix(const int* counts, const int* corners, const Vector* forces,       \
                                                  const float* weights, float step, Vector* velocity,                \
                                                  Vector* displacement) {                                            \
    move(counts, corners, forces, weights, step, velocity, displacement);                                            \
  }                                                                                                                  \
  extern "C" __global__ void boundary##suffix(const int* nodes, const float* shares, int count, float amount,        \
                                              Vector* displacement) {                                                \
    displace(nodes, shares, count, amount, displacement);                                                            \
  }
KERNELS(, float3)
KERNELS(_four, float4)
