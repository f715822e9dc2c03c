// A program that draws: its input goes to its standard input, the picture comes from its standard output. It gets no
// settings of the user's and the locale "C.UTF-8".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptime::cli {

/// Where it is on PATH; nullopt: nowhere.
std::optional<std::string> find_on_path(std::string_view program);

struct Drawing {
  int status = 0;              // exit status; 128 + N after signal N
  std::string picture, words;  // its standard output and standard error
};

/// The longest picture of warptime takes gnuplot some seconds.
inline constexpr std::chrono::milliseconds kMostDrawingTime = std::chrono::minutes(1);
/// Fails if the program cannot be started, or has not ended after `most`; it is then ended.
Drawing run_drawing(const std::string& program, std::vector<std::string> words, const std::string& input,
                    std::chrono::milliseconds most = kMostDrawingTime);

/// The SVG of a drawing; fails with the program's own words if it is none. `hint`: of the failure.
std::string svg_of(const Drawing& drawing, const std::string& program, const std::string& hint);
/// The PNG of a drawing; fails as svg_of does.
std::string png_of(const Drawing& drawing, const std::string& program, const std::string& hint);

}  // namespace warptime::cli
