# Lane code (*.isa.cc) is compiled once for each host instruction set and chosen at run time; see exec/lanes.h.
