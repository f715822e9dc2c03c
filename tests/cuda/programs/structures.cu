// Structures as arguments and in memory: by value, nested, with arrays and pointers within. Needs nothing beyond compute
// capability 1.0.
#include "program.h"

struct Range {
  short first;
  unsigned char step;
  int count;
};
struct Plan {
  Range ranges[3];
  double unused;
  const int* table;
  char tag;
};
struct Result {
  long long sum;
  char tag;
  short ranges[3];
};

__global__ void execute(Plan plan, Result* results, char extra) {
  Result result = {};
  int t = threadIdx.x;
  for (int r = 0; r < 3; r++) {
    for (int i = 0; i < plan.ranges[r].count; i++) result.sum += plan.table[(plan.ranges[r].first + i * plan.ranges[r].step + t) % 64];
    result.ranges[r] = plan.ranges[r].first * (t + 1);
  }
  result.tag = plan.tag + extra;
  results[t] = result;
}

int main() {
  std::vector<int> table(64);
  for (int i = 0; i < 64; i++) table[i] = i * i - 500;
  Array<int> on_table(table);
  Array<Result> results(32);
  Plan plan = {{{1, 2, 5}, {-1 + 8, 1, 9}, {30, 250, 3}}, 0.5, on_table, 'k'};
  execute<<<1, 32>>>(plan, results, 3);
  int wrong = 0, t = 0;
  for (const Result& result : results.get()) {
    long long sum = 0;
    for (const Range& range : plan.ranges) {
      for (int i = 0; i < range.count; i++) sum += table[(range.first + i * range.step + t) % 64];
      wrong += result.ranges[&range - plan.ranges] != (short)(range.first * (t + 1));
    }
    wrong += result.sum != sum || result.tag != 'n';
    t++;
  }
  return verdict("structures", wrong);
}
