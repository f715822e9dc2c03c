// warptime as part of a host program that has set the locale of its user, in C and in C++. It ends with 9 if that
// locale has no decimal comma.
#include <clocale>
#include <locale>
#include <string>
#include <vector>

#include "cli/cli.h"

int main(int argc, char** argv) {
  std::locale::global(std::locale(""));
  if (*std::localeconv()->decimal_point != ',') return 9;
  return warptime::cli::run(std::vector<std::string>(argv + 1, argv + argc));
}
