// A sparse matrix (CSR) by a vector, a thread per row. Needs nothing beyond compute capability 1.0.
#include "program.h"

__global__ void multiply(const int* starts, const int* columns, const float* values, const float* x, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; i++) sum += values[i] * x[columns[i]];
  y[row] = sum;
}

int main() {
  const int rows = 1500;
  std::vector<int> starts{0}, columns;
  std::vector<float> values, x(rows);
  std::vector<double> expected(rows, 0);
  unsigned state = 21;
  for (float& value : x) value = draw_float(state);
  for (int row = 0; row < rows; row++) {
    int count = draw(state) % 13;  // none in some rows
    for (int i = 0; i < count; i++) {
      columns.push_back(draw(state) % rows);
      values.push_back(draw_float(state) - 0.5f);
      expected[row] += (double)values.back() * x[columns.back()];
    }
    starts.push_back((int)columns.size());
  }
  Array<int> on_starts(starts), on_columns(columns);
  Array<float> on_values(values), on_x(x), y(rows);
  multiply<<<(rows + 127) / 128, 128>>>(on_starts, on_columns, on_values, on_x, y, rows);
  return verdict("spmv", differences(y.get(), expected, 1e-5));
}
