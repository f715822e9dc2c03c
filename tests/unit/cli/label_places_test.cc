// Where the names of a chart's points go.
#include "cli/validate/label_places.h"

#include <catch2/catch.hpp>

namespace warptime::cli {

namespace {

struct PlacedBox {
  double left, bottom, right, top;
};

PlacedBox placed_box(const LabelPlace& place, const std::string& name) {
  double width = label_width(name);
  double before = place.align == LabelPlace::Align::Left     ? 0
                  : place.align == LabelPlace::Align::Center ? width / 2
                                                             : width;
  return {place.x - before, place.y - kLabelHeight / 2, place.x - before + width, place.y + kLabelHeight / 2};
}

bool apart(const PlacedBox& a, const PlacedBox& b) {
  return a.right <= b.left || b.right <= a.left || a.top <= b.bottom || b.top <= a.bottom;
}

}  // namespace

TEST_CASE("a name stands to the right of its point, to the left at the right edge") {
  std::vector<LabelPlace> places = label_places({{100, 100, "one"}, {395, 300, "two"}}, 400, 400);
  CHECK(places[0].align == LabelPlace::Align::Left);
  CHECK(places[0].x > 100);
  CHECK(places[0].y == 100);
  CHECK(places[1].align == LabelPlace::Align::Right);
  CHECK(places[1].x < 395);
  CHECK_FALSE(places[0].leader);
}

TEST_CASE("names cover neither each other nor points, and are inside the panel") {
  std::vector<ChartPoint> points;
  for (int i = 0; i < 24; ++i)
    points.push_back({150.0 + i % 5 * 23, 200.0 + i / 5 * 17, "program" + std::to_string(i)});
  std::vector<LabelPlace> places = label_places(points, 430, 430);
  std::vector<PlacedBox> boxes;
  for (size_t i = 0; i < points.size(); ++i) boxes.push_back(placed_box(places[i], points[i].name));
  size_t covered = 0;
  for (size_t i = 0; i < boxes.size(); ++i) {
    CHECK((boxes[i].left >= 0 && boxes[i].right <= 430 && boxes[i].bottom >= 0 && boxes[i].top <= 430));
    for (size_t j = 0; j < i; ++j) covered += apart(boxes[i], boxes[j]) ? 0 : 1;
    for (const ChartPoint& p : points) covered += apart(boxes[i], {p.x - 3, p.y - 3, p.x + 3, p.y + 3}) ? 0 : 1;
  }
  CHECK(covered <= 8);  // far more than charts have: where no place is free, the one that covers least
}

}  // namespace warptime::cli
