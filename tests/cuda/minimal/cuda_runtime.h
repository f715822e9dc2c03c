// The name by which cuda-compat.h includes the runtime's declarations.
#pragma once
#include "cuda_minimal.h"
