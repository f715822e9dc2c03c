#include "cli/grade/file_rights.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/descriptors.h"

namespace warptime::cli {

namespace {

// The interface of the system calls (landlock(7)), whose header older systems lack. Numbers are the same on all
// architectures.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr uint32_t kAskVersion = 1, kPathBeneath = 1;

constexpr uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3;
constexpr uint64_t kTruncate = 1 << 14;
constexpr uint64_t kFirstVersion = (1 << 13) - 1;  // of version 1, all up to making symbolic links
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate;

struct RulesetAttributes {
  uint64_t files = 0, network = 0;
};
struct [[gnu::packed]] PathRule {
  uint64_t allowed = 0;
  int32_t parent = -1;
};

uint64_t rights_of(long version) {
  uint64_t rights = kFirstVersion;
  if (version >= 2) rights |= 1 << 13;  // moving files between folders
  if (version >= 3) rights |= kTruncate;
  return rights;
}

void allow(int ruleset, const std::string& path, uint64_t rights) {
  const Descriptor place(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (place.number() < 0 || fstat(place.number(), &status) != 0) return;
  if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
  const PathRule rule{rights, place.number()};
  syscall(kAddRule, ruleset, kPathBeneath, &rule, 0);
}

}  // namespace

bool restrict_files(const FileRights& rights) {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < 1) return false;
  const RulesetAttributes attributes{rights_of(version), version >= 4 ? uint64_t{3} : 0};  // bind and connect
  const size_t bytes = version >= 4 ? sizeof attributes : sizeof attributes.files;
  const Descriptor ruleset(static_cast<int>(syscall(kCreateRuleset, &attributes, bytes, 0)));
  if (ruleset.number() < 0) return false;
  for (const std::string& path : rights.read) allow(ruleset.number(), path, kExecute | kReadFile | kReadFolder);
  for (const std::string& path : rights.write) allow(ruleset.number(), path, attributes.files);
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(kRestrictSelf, ruleset.number(), 0) == 0;
}

}  // namespace warptime::cli
