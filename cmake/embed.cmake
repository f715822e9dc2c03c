# cmake -DIN=FILE -DOUT=FILE.cc -P embed.cmake: the bytes of the report's page as a C++ array. (A string literal would
# be longer than compilers must accept.)
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "// Made by cmake/embed.cmake.
#include \"report/page.h\"
namespace warptime::report {
namespace {
constexpr unsigned char kPage[] = {
${bytes}
};
}  // namespace
std::string_view page_template() { return {reinterpret_cast<const char*>(kPage), sizeof kPage}; }
}  // namespace warptime::report
")
