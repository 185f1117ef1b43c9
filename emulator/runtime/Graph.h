//===- Graph.h - Graphs of operations --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file The objects behind cudaGraph_t, cudaGraphNode_t and cudaGraphExec_t. A
/// graph owns its nodes in the order of addition; an executable graph is a copy
/// of a graph with its nodes in a topological order.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_GRAPH_H
#define GPULTO_EMULATOR_RUNTIME_GRAPH_H

#include "emulator/runtime/Operation.h"

#include <cuda_runtime_api.h>
#include <map>
#include <memory>
#include <vector>

namespace gpulto::emu {

class Runtime;

struct GraphNode {
  Graph *owner = nullptr;
  Operation operation;
  /// Nodes that this one waits for, in the order in which they were named.
  std::vector<GraphNode *> dependencies;
  bool isEnabled = true;
  /// In a clone: the node it was copied from.
  const GraphNode *original = nullptr;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  /// User objects that live as long as the graph, with their counts.
  std::map<cudaUserObject_t, unsigned> userObjects;
  /// The task of its last launch (Deferred.h); 0: none.
  uint64_t lastLaunch = 0;
  ~Graph();
};

struct ExecutableGraph {
  std::shared_ptr<Graph> graph;
  /// Node of the source graph (or of a graph it was updated from) -> copy.
  std::map<const GraphNode *, GraphNode *> copies;
  std::vector<GraphNode *> order;
  unsigned long long flags = 0;
};

/// Reference-counted data of the program that a graph can hold.
struct UserObject {
  void *data = nullptr;
  cudaHostFn_t destroy = nullptr;
  unsigned count = 1;
};

/// Adds a node. Null if a dependency is not in \p graph.
GraphNode *addNode(Graph &graph, const std::vector<GraphNode *> &dependencies,
                   Operation operation);

/// Removes a node and the edges to it.
void removeNode(GraphNode &node);

/// Copies \p graph; fills \p copies, if not null, with old -> new nodes.
std::shared_ptr<Graph>
cloneGraph(const Graph &graph,
           std::map<const GraphNode *, GraphNode *> *copies = nullptr);

/// Orders the nodes so that dependencies come first, otherwise in the order of
/// addition. False if there is a cycle.
bool topologicalOrder(const Graph &graph, std::vector<GraphNode *> &order);

/// Runs all nodes. Stops at the first error.
cudaError_t runGraph(Runtime &runtime, const std::vector<GraphNode *> &order);

/// The public node type of an operation.
cudaGraphNodeType nodeType(const Operation &operation);

/// Live graphs by handle, for checking handles. A handle is the address.
std::shared_ptr<Graph> findGraph(cudaGraph_t handle);
cudaGraph_t exposeGraph(const std::shared_ptr<Graph> &graph);
void forgetGraph(cudaGraph_t handle);
/// Returns the node of a handle, or null if it belongs to no live graph.
GraphNode *findNode(cudaGraphNode_t handle);
ExecutableGraph *findExecutable(cudaGraphExec_t handle);
cudaGraphExec_t exposeExecutable(std::unique_ptr<ExecutableGraph> executable);
void destroyExecutable(cudaGraphExec_t handle);
/// Releases \p count references of a user object; destroys it at zero.
void releaseUserObject(cudaUserObject_t handle, unsigned count);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_GRAPH_H
