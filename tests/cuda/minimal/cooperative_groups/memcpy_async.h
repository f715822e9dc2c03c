// Nothing: only device functions use cooperative groups, and the host's compiler does not see their bodies.
#pragma once
