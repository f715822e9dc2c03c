// Nothing: half precision is used by device functions only, whose bodies the host's compiler does not see.
#pragma once
