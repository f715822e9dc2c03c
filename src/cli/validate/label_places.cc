#include "cli/validate/label_places.h"

#include <algorithm>

namespace warptime::cli {

namespace {

using Align = LabelPlace::Align;

struct Box {
  double left, bottom, right, top;
  double area() const { return std::max(right - left, 0.0) * std::max(top - bottom, 0.0); }
};

Box common(const Box& a, const Box& b) {
  return {std::max(a.left, b.left), std::max(a.bottom, b.bottom), std::min(a.right, b.right), std::min(a.top, b.top)};
}

/// Directions of a name from its point, and the part of it that is there: first the one that texts usually have.
struct Direction {
  double x, y;
  Align align;
};
constexpr Direction kDirections[] = {{1, 0, Align::Left},     {-1, 0, Align::Right},    {0, 1, Align::Center},
                                     {0, -1, Align::Center},  {0.7, 1, Align::Left},    {-0.7, 1, Align::Right},
                                     {0.7, -1, Align::Left},  {-0.7, -1, Align::Right}, {1, 0.5, Align::Left},
                                     {-1, 0.5, Align::Right}, {1, -0.5, Align::Left},   {-1, -0.5, Align::Right}};

Box box_of(const LabelPlace& place, double width) {
  double left = place.x - (place.align == Align::Left ? 0 : place.align == Align::Center ? width / 2 : width);
  return {left, place.y - kLabelHeight / 2, left + width, place.y + kLabelHeight / 2};
}

}  // namespace

double label_width(std::string_view text) {
  double out = 0;
  for (char c : text) {
    if ((c & 0xc0) == 0x80) continue;  // the rest of a letter beyond ASCII
    bool narrow = std::string_view("fijlrt.,:;|/-I ").find(c) != std::string_view::npos;
    bool wide = std::string_view("mwMW%").find(c) != std::string_view::npos;
    out += narrow ? 4.5 : wide ? 10.5 : 7;
  }
  return out;
}

std::vector<LabelPlace> label_places(const std::vector<ChartPoint>& points, double width, double height) {
  const Box panel{2, 2, width - 2, height - 2};
  std::vector<Box> taken;
  for (const ChartPoint& point : points) taken.push_back({point.x - 5, point.y - 5, point.x + 5, point.y + 5});
  std::vector<LabelPlace> out;
  for (const ChartPoint& point : points) {
    LabelPlace best;
    Box best_box{};
    double text = label_width(point.name), least = -1;
    for (double distance : {9.0, 16.0, 28.0, 42.0, 60.0})
      for (const Direction& direction : kDirections) {
        if (least == 0) break;
        LabelPlace place{direction.align, point.x + direction.x * distance,
                         point.y + direction.y * (distance + kLabelHeight / 4), distance > 20};
        Box box = box_of(place, text);
        double covers = box.area() - common(box, panel).area();
        for (const Box& other : taken) covers += common(box, other).area();
        if (least >= 0 && covers >= least) continue;
        least = covers < 0.01 ? 0 : covers;
        place.end_x = std::clamp(point.x, box.left, box.right);
        place.end_y = std::clamp(point.y, box.bottom, box.top);
        best = place;
        best_box = box;
      }
    taken.push_back(best_box);
    out.push_back(best);
  }
  return out;
}

}  // namespace warptime::cli
