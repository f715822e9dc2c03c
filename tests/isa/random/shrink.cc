#include "shrink.h"

#include <algorithm>

namespace warptime::sim {

namespace {

using Body = std::vector<Statement>;

void collect(Body& body, std::vector<Body*>& out) {
  out.push_back(&body);
  for (Statement& s : body)
    for (Body& inner : s.bodies) collect(inner, out);
}

/// Every body of a program, outer ones first.
std::vector<Body*> bodies_of(Program& program) {
  std::vector<Body*> out;
  for (Routine& routine : program.routines) collect(routine.body, out);
  return out;
}

class Shrinker {
 public:
  Shrinker(Program program, const Fails& fails, size_t tries)
      : best_(std::move(program)), fails_(fails), tries_(tries) {}

  Program run() {
    for (bool smaller = true; smaller && tries_ > 0;) {
      smaller = fewer_threads();
      smaller |= fewer_routines();
      smaller |= fewer_statements();
      smaller |= less_control();
    }
    return std::move(best_);
  }

 private:
  bool keep_if_fails(Program candidate) {
    if (tries_ == 0) return false;
    --tries_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  bool fewer_threads() {
    bool smaller = false;
    auto attempt = [&](auto&& change) {
      Program candidate = best_;
      change(candidate.shape);
      if (candidate.shape.threads() < best_.shape.threads()) smaller |= keep_if_fails(std::move(candidate));
    };
    attempt([](ProgramShape& s) { std::fill_n(s.grid, 3, 1u); });
    return smaller;
  }

  bool fewer_routines() {
    bool smaller = false;
    for (size_t i = 0; i + 1 < best_.routines.size();) {  // the last is the kernel
      Program candidate = best_;
      candidate.routines.erase(candidate.routines.begin() + static_cast<std::ptrdiff_t>(i));
      if (keep_if_fails(std::move(candidate))) smaller = true;
      else ++i;
    }
    return smaller;
  }

  /// Runs of statements, long ones first.
  bool fewer_statements() {
    bool smaller = false;
    for (size_t which = 0; which < bodies_of(best_).size(); ++which) {
      size_t whole = bodies_of(best_)[which]->size();
      for (size_t length = whole; length > 0; length = length == 1 ? 0 : (length + 1) / 2) {
        for (size_t first = 0; first < bodies_of(best_)[which]->size();) {
          Program candidate = best_;
          Body& body = *bodies_of(candidate)[which];
          size_t end = std::min(first + length, body.size());
          body.erase(body.begin() + static_cast<std::ptrdiff_t>(first),
                     body.begin() + static_cast<std::ptrdiff_t>(end));
          if (keep_if_fails(std::move(candidate))) smaller = true;
          else first = end;
        }
      }
    }
    return smaller;
  }

  /// A statement's bodies in its place.
  bool less_control() {
    bool smaller = false;
    for (size_t which = 0; which < bodies_of(best_).size(); ++which) {
      for (size_t at = 0; at < bodies_of(best_)[which]->size();) {
        Program candidate = best_;
        Body& body = *bodies_of(candidate)[which];
        Statement statement = body[at];
        Body inner;
        for (Body& b : statement.bodies) inner.insert(inner.end(), b.begin(), b.end());
        auto place = body.erase(body.begin() + static_cast<std::ptrdiff_t>(at));
        body.insert(place, inner.begin(), inner.end());
        if (statement.sheds && keep_if_fails(std::move(candidate))) smaller = true;
        else ++at;
      }
    }
    return smaller;
  }

  Program best_;
  const Fails& fails_;
  size_t tries_;
};

}  // namespace

Program shrunk(Program program, const Fails& fails, size_t tries) {
  return Shrinker(std::move(program), fails, tries).run();
}

}  // namespace warptime::sim
