// Nothing: only device functions use the pipeline primitives, and the host's compiler does not see their bodies.
#pragma once
