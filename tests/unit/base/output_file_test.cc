// Output files: whole or not at all, and nothing left behind.
#include "base/output_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "base/growing_file.h"
#include "base/run_files.h"
#include "base/source_text.h"
#include "tools/run_program.h"

using namespace warptime;
using test::read_text;
using test::TempFolder;
namespace fs = std::filesystem;

namespace {

size_t files_in(const TempFolder& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder.path("")), fs::directory_iterator()));
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

/// Files may have that many bytes while it lives.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("an output file is there when it is committed, and not before") {
  TempFolder folder;
  std::string path = folder.path("x");
  mode_t mask = umask(027);
  {
    OutputFile file(path);
    file.write("one");
    file.write(" two");
    CHECK(files_in(folder) == 0);
    CHECK(file.commit());
    CHECK(file.error().empty());
  }
  umask(mask);
  CHECK(read_text(path) == "one two");
  CHECK(mode_of(path) == 0640);
  CHECK(files_in(folder) == 1);
}

TEST_CASE("an output file that is not committed leaves the older one and nothing else") {
  TempFolder folder;
  std::string path = folder.write("x", "older");
  {
    OutputFile file(path);
    file.write(std::string(1 << 20, 'n'));
  }
  CHECK(read_text(path) == "older");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("an output file larger than the disk has room for is an error, and the older one is whole") {
  TempFolder folder;
  std::string path = folder.write("x", "older");
  SizeLimit limit(100'000);
  auto bytes = GENERATE(as<size_t>(), 100'001, 5'000'000);
  OutputFile file(path);
  file.write(std::string(bytes, 'n'));
  CHECK_FALSE(file.commit());
  CHECK(file.error() == "File too large");
  CHECK(read_text(path) == "older");
}

TEST_CASE("a file that is replaced keeps its mode, and links stay links") {
  TempFolder folder;
  std::string path = folder.write("x", "older");
  chmod(path.c_str(), 0604);
  fs::create_directory(folder.path("sub"));
  fs::create_symlink("../x", folder.path("sub/first"));
  fs::create_symlink("sub/first", folder.path("second"));
  OutputFile file(folder.path("second"));
  file.write("newer");
  REQUIRE(file.commit());
  CHECK(read_text(path) == "newer");
  CHECK(mode_of(path) == 0604);
  CHECK(fs::is_symlink(folder.path("second")));
  CHECK(fs::is_symlink(folder.path("sub/first")));
  // A link to nothing yet.
  fs::create_symlink("missing", folder.path("third"));
  OutputFile new_file(folder.path("third"));
  new_file.write("made");
  REQUIRE(new_file.commit());
  CHECK(read_text(folder.path("missing")) == "made");
  CHECK(fs::is_symlink(folder.path("third")));
}

TEST_CASE("what cannot be written is told when it is opened, in the system's words") {
  TempFolder folder;
  fs::create_symlink("loop", folder.path("loop"));
  CHECK(OutputFile(folder.path("none/x")).error() == "No such file or directory");
  CHECK(OutputFile(folder.path("")).error() == "Is a directory");
  CHECK(OutputFile(folder.path("new/")).error() == "Is a directory");
  CHECK(OutputFile("").error() == "No such file or directory");
  CHECK(OutputFile("/dev/fd/987").error() == "Bad file descriptor");
  CHECK(OutputFile(folder.path("loop")).error() == "Too many levels of symbolic links");
  CHECK(why_not_writable("/dev/full").empty());
  OutputFile full("/dev/full");
  full.write("x");
  CHECK_FALSE(full.commit());
  CHECK(full.error() == "No space left on device");
}

TEST_CASE("pipes and descriptors get everything at the end, whatever its size") {
  TempFolder folder;
  int to = open(folder.path("x").c_str(), O_RDWR | O_CREAT, 0600);
  {
    OutputFile dropped("/dev/fd/" + std::to_string(to));
    dropped.write("nothing of this");
  }
  std::string large(9'000'000, 'l');
  OutputFile file("/proc/self/fd/" + std::to_string(to));
  CHECK(file.place().descriptor == to);
  file.write("first ");
  file.write(large);
  CHECK(read_text(folder.path("x")).empty());
  REQUIRE(file.commit());
  CHECK(read_text(folder.path("x")) == "first " + large);
  CHECK(fcntl(to, F_GETFD) >= 0);  // it was lent
  close(to);
  // A reader that is gone is not an error.
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  OutputFile unread("/dev/fd/" + std::to_string(ends[1]));
  unread.write("x");
  CHECK(unread.commit());
  close(ends[1]);
}

TEST_CASE("files are told apart by what they are, not by how they are named") {
  TempFolder folder;
  std::string x = folder.write("x", "x"), y = folder.write("y", "x");
  fs::create_directory(folder.path("sub"));
  fs::create_symlink("x", folder.path("link"));
  fs::create_hard_link(x, folder.path("hard"));
  FileIdentity identity(x);
  CHECK(identity == FileIdentity(folder.path("./x")));
  CHECK(identity == FileIdentity(folder.path("sub/../x")));
  CHECK(identity == FileIdentity(folder.path("link")));
  CHECK(identity == FileIdentity(folder.path("hard")));
  CHECK_FALSE(identity == FileIdentity(y));
  CHECK(FileIdentity(folder.path("new")) == FileIdentity(folder.path("sub/../new")));
  CHECK_FALSE(FileIdentity(folder.path("new")) == FileIdentity(folder.path("sub/new")));
  CHECK_FALSE(FileIdentity("/dev/null") == FileIdentity("/dev/null"));  // any number may write there
}

TEST_CASE("an output must not be read, nor written twice, and a file that is written must not be read") {
  TempFolder folder;
  std::string x = folder.write("x", "x"), why;
  fs::create_symlink("x", folder.path("link"));
  {
    RunFiles files;
    REQUIRE(SourceText::read_file(x, &why) != nullptr);
    auto clash = files.writing(folder.path("link"), "--stats");
    REQUIRE(clash);
    CHECK_FALSE(clash->is_output);
    CHECK(clash->path == x);
    CHECK_FALSE(files.writing(folder.path("y"), "--stats"));
    clash = files.writing(folder.path("./y"), "--json");
    REQUIRE(clash);
    CHECK(clash->is_output);
    CHECK(clash->what == "--stats");
    folder.write("y", "y");
    CHECK_FALSE(files.writing(folder.path("z"), "--csv"));
    folder.write("z", "z");  // by another command, in the meantime
    CHECK(SourceText::read_file(x, &why) != nullptr);
  }
  CHECK_FALSE(RunFiles().writing(x, "--stats"));  // a command of its own
  RunFiles files;
  CHECK_FALSE(files.writing(x, "--stats"));
  CHECK(SourceText::read_file(folder.path("link"), &why) == nullptr);
  CHECK(why == "--stats of this command writes the same file");
}

TEST_CASE("a growing file is one process's, ends with a whole line, and is begun anew as a whole") {
  TempFolder folder;
  std::string path = folder.write("x", "a\nb\nhal"), text;
  {
    GrowingFile file;
    REQUIRE(file.open(path).empty());
    GrowingFile other;
    CHECK_FALSE(other.open(path).empty());
    CHECK(other.busy());
    REQUIRE(file.read(text).empty());
    CHECK(text == "a\nb\nhal");
    CHECK(file.cut(4).empty());
    CHECK(file.append("c\n").empty());
    CHECK(read_text(path) == "a\nb\nc\n");
    {
      SizeLimit limit(8);
      CHECK(file.append("too long\n") == "No space left on device");
      CHECK(read_text(path) == "a\nb\nc\n");
      CHECK(file.begin_anew("far too long for it\n") == "File too large");
      CHECK(read_text(path) == "a\nb\nc\n");
    }
    CHECK(file.begin_anew("new\n").empty());
    CHECK_FALSE(other.open(path).empty());
    CHECK(other.busy());
    CHECK(file.append("row\n").empty());
    CHECK(file.close().empty());
  }
  CHECK(read_text(path) == "new\nrow\n");
  CHECK(files_in(folder) == 1);
  GrowingFile again;
  CHECK(again.open(path).empty());
}
