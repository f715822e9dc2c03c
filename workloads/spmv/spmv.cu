// x = A y for a sparse matrix in compressed rows, after Kim et al. 2012, Listing 4.1 without its probes, in its names: a
// thread for each row, blocks along y. Row i has the elements rowInd[i] to rowInd[i + 1] - 1, `val` in the columns `indices`.
// The elements of y are gathered by plain loads or through a texture. Compilers of the time left loops of unknown length as
// they were.
//
//   nvcc -ptx -arch=compute_75 -lineinfo spmv.cu -o spmv.ptx
constexpr int BLOCKSIZE = 256;

struct Plain {
  const float* y;
  __device__ float operator[](int ind) const { return y[ind]; }
};
struct Texture {
  cudaTextureObject_t y;
  __device__ float operator[](int ind) const { return tex1Dfetch<float>(y, ind); }
};

template <class Vector>
__device__ __forceinline__ void multiply(float* x, const float* val, const int* indices, const int* rowInd, Vector y,
                                         int numRows) {
  int tid = threadIdx.y;
  int bid = blockIdx.y;
  float t = 0;
  int myi = bid * BLOCKSIZE + tid;

  if (myi < numRows) {
    int lb = rowInd[myi];
    int ub = rowInd[myi + 1];
#pragma unroll 1
    for (int j = lb; j < ub; j++) {
      int ind = indices[j];
      float yval = y[ind];
      t += val[j] * yval;
    }
    x[myi] = t;
  }
}

extern "C" __global__ void spmv(float* x, const float* val, const int* indices, const int* rowInd, const float* y,
                                int numRows) {
  multiply(x, val, indices, rowInd, Plain{y}, numRows);
}
extern "C" __global__ void spmv_texture(float* x, const float* val, const int* indices, const int* rowInd,
                                        cudaTextureObject_t y, int numRows) {
  multiply(x, val, indices, rowInd, Texture{y}, numRows);
}
