//===- Graph.cpp - Graphs of operations -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Graph.h"

#include "emulator/runtime/Runtime.h"

#include <set>

namespace gpulto::emu {
namespace {

/// All graph objects of the process; guarded by the runtime's mutex.
struct Objects {
  std::map<const void *, std::shared_ptr<Graph>> graphs;
  std::map<const void *, std::unique_ptr<ExecutableGraph>> executables;
  std::set<const void *> nodes;
};

Objects &objects() {
  static Objects *all = new Objects; // never destroyed, as the Runtime
  return *all;
}

} // namespace

Graph::~Graph() {
  for (const auto &node : nodes)
    objects().nodes.erase(node.get());
  for (const auto &[object, count] : userObjects)
    releaseUserObject(object, count);
}

void releaseUserObject(cudaUserObject_t handle, unsigned count) {
  auto *object = reinterpret_cast<UserObject *>(handle);
  if (object->count > count) {
    object->count -= count;
    return;
  }
  object->destroy(object->data);
  delete object;
}

GraphNode *addNode(Graph &graph, const std::vector<GraphNode *> &dependencies,
                   Operation operation) {
  for (GraphNode *dependency : dependencies)
    if (!objects().nodes.count(dependency) || dependency->owner != &graph)
      return nullptr;
  auto node = std::make_unique<GraphNode>();
  node->owner = &graph;
  node->operation = std::move(operation);
  node->dependencies = dependencies;
  GraphNode *result = node.get();
  objects().nodes.insert(result);
  graph.nodes.push_back(std::move(node));
  return result;
}

void removeNode(GraphNode &node) {
  Graph &graph = *node.owner;
  for (const auto &other : graph.nodes)
    std::erase(other->dependencies, &node);
  objects().nodes.erase(&node);
  std::erase_if(graph.nodes,
                [&](const auto &item) { return item.get() == &node; });
}

std::shared_ptr<Graph>
cloneGraph(const Graph &graph,
           std::map<const GraphNode *, GraphNode *> *copies) {
  auto clone = std::make_shared<Graph>();
  std::map<const GraphNode *, GraphNode *> map;
  for (const auto &node : graph.nodes) {
    GraphNode *copy = addNode(*clone, {}, node->operation);
    if (auto *child = std::get_if<ChildOp>(&copy->operation))
      child->graph = cloneGraph(*child->graph, copies);
    copy->isEnabled = node->isEnabled;
    copy->original = node.get();
    map[node.get()] = copy;
  }
  for (const auto &node : graph.nodes)
    for (GraphNode *dependency : node->dependencies)
      map[node.get()]->dependencies.push_back(map[dependency]);
  for (const auto &[object, count] : graph.userObjects) {
    reinterpret_cast<UserObject *>(object)->count += count;
    clone->userObjects[object] = count;
  }
  if (copies)
    copies->insert(map.begin(), map.end());
  return clone;
}

bool topologicalOrder(const Graph &graph, std::vector<GraphNode *> &order) {
  std::map<const GraphNode *, size_t> waiting, position;
  std::map<const GraphNode *, std::vector<GraphNode *>> dependents;
  std::set<std::pair<size_t, GraphNode *>> ready;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    GraphNode *node = graph.nodes[i].get();
    position[node] = i;
    waiting[node] = node->dependencies.size();
    for (GraphNode *dependency : node->dependencies)
      dependents[dependency].push_back(node);
    if (node->dependencies.empty())
      ready.insert({i, node});
  }
  order.clear();
  while (!ready.empty()) {
    GraphNode *node = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(node);
    for (GraphNode *dependent : dependents[node])
      if (--waiting[dependent] == 0)
        ready.insert({position[dependent], dependent});
  }
  return order.size() == graph.nodes.size();
}

cudaError_t runGraph(Runtime &runtime, const std::vector<GraphNode *> &order) {
  uint64_t faults = runtime.faults;
  for (GraphNode *node : order) {
    if (!node->isEnabled)
      continue;
    if (cudaError_t error = execute(runtime, node->operation))
      return error;
    if (runtime.faults != faults)
      break;
  }
  return cudaSuccess;
}

cudaGraphNodeType nodeType(const Operation &operation) {
  struct Visitor {
    cudaGraphNodeType operator()(const EmptyOp &) {
      return cudaGraphNodeTypeEmpty;
    }
    cudaGraphNodeType operator()(const KernelOp &) {
      return cudaGraphNodeTypeKernel;
    }
    cudaGraphNodeType operator()(const CopyOp &) {
      return cudaGraphNodeTypeMemcpy;
    }
    cudaGraphNodeType operator()(const FillOp &) {
      return cudaGraphNodeTypeMemset;
    }
    cudaGraphNodeType operator()(const HostOp &) {
      return cudaGraphNodeTypeHost;
    }
    cudaGraphNodeType operator()(const EventRecordOp &) {
      return cudaGraphNodeTypeEventRecord;
    }
    cudaGraphNodeType operator()(const EventWaitOp &) {
      return cudaGraphNodeTypeWaitEvent;
    }
    cudaGraphNodeType operator()(const AllocateOp &) {
      return cudaGraphNodeTypeMemAlloc;
    }
    cudaGraphNodeType operator()(const FreeOp &) {
      return cudaGraphNodeTypeMemFree;
    }
    cudaGraphNodeType operator()(const ChildOp &) {
      return cudaGraphNodeTypeGraph;
    }
  };
  return std::visit(Visitor{}, operation);
}

std::shared_ptr<Graph> findGraph(cudaGraph_t handle) {
  auto found = objects().graphs.find(handle);
  return found == objects().graphs.end() ? nullptr : found->second;
}

cudaGraph_t exposeGraph(const std::shared_ptr<Graph> &graph) {
  objects().graphs[graph.get()] = graph;
  return reinterpret_cast<cudaGraph_t>(graph.get());
}

void forgetGraph(cudaGraph_t handle) { objects().graphs.erase(handle); }

GraphNode *findNode(cudaGraphNode_t handle) {
  return objects().nodes.count(handle) ? reinterpret_cast<GraphNode *>(handle)
                                       : nullptr;
}

ExecutableGraph *findExecutable(cudaGraphExec_t handle) {
  auto found = objects().executables.find(handle);
  return found == objects().executables.end() ? nullptr : found->second.get();
}

cudaGraphExec_t exposeExecutable(std::unique_ptr<ExecutableGraph> executable) {
  ExecutableGraph *result = executable.get();
  objects().executables[result] = std::move(executable);
  return reinterpret_cast<cudaGraphExec_t>(result);
}

void destroyExecutable(cudaGraphExec_t handle) {
  objects().executables.erase(handle);
}

} // namespace gpulto::emu
