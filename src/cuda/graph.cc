#include "cuda/graph.h"

#include <algorithm>
#include <map>

namespace warptime::cuda {

namespace {

constexpr uint32_t kMostLanes = 32;  // more branches than that take turns

}  // namespace

Node::~Node() { Runtime::get().node_handles.erase(this); }
Graph::Graph() { Runtime::get().graph_handles.insert(this); }
Graph::~Graph() { Runtime::get().graph_handles.erase(this); }

GraphMemory::~GraphMemory() {
  Runtime& runtime = Runtime::get();
  if (runtime.graph_memory.erase(pointer) == 0) return;  // the program has freed it
  try {
    runtime.free(pointer);
  } catch (...) {  // the device is gone, or has faulted
    return;
  }
}

Node& Graph::add(Work work, std::vector<Node*> after) {
  nodes.push_back(std::make_unique<Node>());
  Node& node = *nodes.back();
  node.graph = this;
  node.work = std::move(work);
  node.after = std::move(after);
  Runtime::get().node_handles.insert(&node);
  current_plan.reset();
  return node;
}

std::shared_ptr<Graph> Graph::clone() const {
  auto out = std::make_shared<Graph>();
  out->original = this;
  std::map<const Node*, Node*> made;
  for (const auto& node : nodes) {
    Node& copy = out->add(node->work, {});
    copy.original = node.get();
    copy.enabled = node->enabled;
    if (auto* child = std::get_if<ChildWork>(&copy.work)) child->graph = child->graph->clone();
    made[node.get()] = &copy;
  }
  for (const auto& node : nodes)
    for (const Node* before : node->after) made[node.get()]->after.push_back(made.at(before));
  return out;
}

Node* Graph::made_from(const Node* of) const {
  for (const auto& node : nodes)
    if (node->original == of) return node.get();
  return nullptr;
}

const Plan* Graph::plan() {
  if (current_plan) return &*current_plan;
  // Levels: a node's is one more than the highest of what it depends on.
  std::map<const Node*, size_t> index;
  for (size_t i = 0; i < nodes.size(); ++i) index[nodes[i].get()] = i;
  std::vector<size_t> missing(nodes.size()), ready;
  std::vector<std::vector<size_t>> dependents(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    missing[i] = nodes[i]->after.size();
    if (missing[i] == 0) ready.push_back(i);
    for (const Node* before : nodes[i]->after) dependents[index.at(before)].push_back(i);
  }
  Plan plan;
  std::vector<size_t> step_of(nodes.size());
  std::vector<const Node*> last_in_lane;
  for (uint32_t level = 0; !ready.empty(); ++level) {
    std::vector<size_t> next;
    for (size_t i : ready) {
      Plan::Step step{.node = nodes[i].get(), .level = level};
      // It goes on where something that it depends on was the last; else it has a lane of its own.
      auto lane = std::find_if(last_in_lane.begin(), last_in_lane.end(), [&](const Node* last) {
        return std::find(step.node->after.begin(), step.node->after.end(), last) != step.node->after.end();
      });
      if (lane == last_in_lane.end() && last_in_lane.size() < kMostLanes)
        lane = last_in_lane.insert(last_in_lane.end(), nullptr);
      step.lane = lane == last_in_lane.end() ? static_cast<uint32_t>(i % kMostLanes)
                                             : static_cast<uint32_t>(lane - last_in_lane.begin());
      last_in_lane[step.lane] = step.node;
      for (const Node* before : step.node->after) {
        const size_t other = step_of[index.at(before)];
        if (plan.steps[other].lane == step.lane) continue;
        plan.steps[other].is_waited_for = true;
        step.waits.push_back(other);
      }
      step_of[i] = plan.steps.size();
      plan.steps.push_back(std::move(step));
      for (size_t after : dependents[i])
        if (--missing[after] == 0) next.push_back(after);
    }
    std::sort(next.begin(), next.end());
    ready = std::move(next);
  }
  if (plan.steps.size() != nodes.size()) return nullptr;
  plan.lanes = std::max<uint32_t>(1, static_cast<uint32_t>(last_in_lane.size()));
  return &current_plan.emplace(std::move(plan));
}

Error launch(Runtime& runtime, GraphExec& exec, Graph& graph, host::Stream stream, size_t first_lane) {
  const Plan* plan = graph.plan();
  if (plan == nullptr) return Error::InvalidValue;
  host::Device& device = runtime.device();
  // Nothing overlaps work of the default stream: branches then have streams of their own, all of them.
  const bool forks = plan->lanes > 1;
  const size_t own = forks && stream.id == 0 ? 0 : 1;
  const size_t used = plan->lanes - (forks ? own : 1);
  while (exec.lanes.size() < first_lane + used) exec.lanes.push_back(runtime.take_lane());
  auto stream_of = [&](uint32_t lane) { return lane < own || !forks ? stream : exec.lanes[first_lane + lane - own]; };
  if (forks) {
    const host::Event start = device.record_event(stream);
    for (uint32_t lane = static_cast<uint32_t>(own); lane < plan->lanes; ++lane)
      device.wait_event(stream_of(lane), start);
  }
  std::vector<host::Event> ends(plan->steps.size());
  for (size_t first = 0, last = 0; first < plan->steps.size(); first = last) {
    while (last < plan->steps.size() && plan->steps[last].level == plan->steps[first].level) ++last;
    // Events would make launches run that can overlap: they come before and after all of a level.
    for (size_t i = first; i < last; ++i)
      for (size_t before : plan->steps[i].waits) device.wait_event(stream_of(plan->steps[i].lane), ends[before]);
    for (size_t i = first; i < last; ++i) {
      const Plan::Step& step = plan->steps[i];
      if (!step.node->enabled) continue;
      const auto* child = std::get_if<ChildWork>(&step.node->work);
      const Error error = child == nullptr
                              ? perform(runtime, step.node->work, stream_of(step.lane))
                              : launch(runtime, exec, *child->graph, stream_of(step.lane), first_lane + used);
      if (error != Error::Success) return error;
      if (runtime.fault() != Error::Success) return Error::Success;  // as a launch, which does not wait
    }
    for (size_t i = first; i < last; ++i)
      if (plan->steps[i].is_waited_for) ends[i] = device.record_event(stream_of(plan->steps[i].lane));
  }
  if (forks)
    for (uint32_t lane = static_cast<uint32_t>(own); lane < plan->lanes; ++lane)
      device.wait_event(stream, device.record_event(stream_of(lane)));
  return Error::Success;
}

NodeKind kind_of(const Work& work) {
  constexpr int kLastInOrder = 7, kSkipped = 2;  // of cudaGraphNodeType: semaphores are 8 and 9
  const int at = static_cast<int>(work.index());
  return static_cast<NodeKind>(at <= kLastInOrder ? at : at + kSkipped);
}

std::string dot_of(Runtime& runtime, const Graph& graph) {
  std::string out = "digraph graph_1 {\n";
  std::map<const Node*, size_t> number;
  for (const auto& node : graph.nodes) {
    const size_t n = number[node.get()] = number.size();
    constexpr const char* kNames[] = {"kernel", "copy", "fill",   "host",     "graph",
                                      "empty",  "wait", "record", "allocate", "free"};
    std::string name = kNames[node->work.index()];
    if (const auto* kernel = std::get_if<LaunchWork>(&node->work))
      name += " " + runtime.kernel_of(kernel->function).name;
    out += fmt::format("  node_{} [label=\"{} {}\"];\n", n, n, name);
  }
  for (const auto& node : graph.nodes)
    for (const Node* before : node->after)
      out += fmt::format("  node_{} -> node_{};\n", number.at(before), number.at(node.get()));
  return out + "}\n";
}

}  // namespace warptime::cuda
