// Golden vectors as they are kept (`recorded/vectors.gz`): what recorded them, and for every form the bits of its
// results or why the GPU's compiler refused it.
#pragma once

#include <map>
#include <string>

namespace warptime::sim {

struct RecordedForm {
  std::string bytes;    // as `packed` makes them
  std::string refusal;  // the driver's message; empty: it ran
};

struct VectorFile {
  std::string origin;  // lines "GPU: ...", "Driver: ...", "PTX: ...", "Lanes: ..."
  std::map<std::string, RecordedForm> forms;
};

/// False if it cannot be written.
bool write_vectors(const std::string& path, const VectorFile& file);
/// Throws std::runtime_error with a sentence.
VectorFile read_vectors(const std::string& path);

}  // namespace warptime::sim
