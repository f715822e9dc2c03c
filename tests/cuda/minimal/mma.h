// Nothing: the classes of fragments are used by device functions only, whose bodies the host's compiler does not see.
#pragma once
