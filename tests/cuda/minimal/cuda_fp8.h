// Nothing: numbers of 8 bits are used by device functions only, whose bodies the host's compiler does not see.
#pragma once
