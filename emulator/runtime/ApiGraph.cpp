//===- ApiGraph.cpp - Entry points: graphs as a whole ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Graph.h"
#include "emulator/runtime/Runtime.h"

#include <algorithm>
#include <cstdio>

using namespace gpulto::emu;

namespace {

template <typename Body> cudaError_t withGraph(cudaGraph_t handle, Body body) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    std::shared_ptr<Graph> graph = findGraph(handle);
    if (!graph)
      return cudaErrorInvalidValue;
    return body(runtime, *graph);
  });
}

template <typename Body>
cudaError_t withExecutable(cudaGraphExec_t handle, Body body) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    ExecutableGraph *executable = findExecutable(handle);
    if (!executable)
      return cudaErrorInvalidValue;
    return body(runtime, *executable);
  });
}

cudaGraphNode_t handleOf(const GraphNode *node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode *>(node));
}

/// Hands out a list by the API's protocol: with no array only the count; else
/// at most `*count` items, the rest of the array null.
template <typename Handle>
void handOut(const std::vector<Handle> &items, Handle *array, size_t *count) {
  if (!array) {
    *count = items.size();
    return;
  }
  for (size_t i = 0; i < *count; ++i)
    array[i] = i < items.size() ? items[i] : nullptr;
  *count = std::min(*count, items.size());
}

cudaError_t instantiate(const Graph &graph, unsigned long long flags,
                        cudaGraphExec_t *result) {
  if (flags & cudaGraphInstantiateFlagDeviceLaunch)
    return notSupported("launching graphs from the device");
  auto executable = std::make_unique<ExecutableGraph>();
  executable->graph = cloneGraph(graph, &executable->copies);
  executable->flags = flags;
  if (!topologicalOrder(*executable->graph, executable->order))
    return cudaErrorInvalidValue;
  *result = exposeExecutable(std::move(executable));
  return cudaSuccess;
}

/// Replaces what the nodes of \p executable do by what those of \p graph do;
/// both must have the same shape.
cudaGraphExecUpdateResult update(ExecutableGraph &executable,
                                 const Graph &graph, GraphNode *&failed) {
  Graph &target = *executable.graph;
  if (graph.nodes.size() != target.nodes.size())
    return cudaGraphExecUpdateErrorTopologyChanged;
  std::map<const GraphNode *, GraphNode *> copies;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    copies[graph.nodes[i].get()] = target.nodes[i].get();
  for (const auto &node : graph.nodes) {
    failed = node.get();
    GraphNode *copy = copies[failed];
    if (node->operation.index() != copy->operation.index())
      return cudaGraphExecUpdateErrorNodeTypeChanged;
    std::vector<GraphNode *> mapped;
    for (GraphNode *dependency : node->dependencies)
      mapped.push_back(copies[dependency]);
    if (mapped != copy->dependencies)
      return cudaGraphExecUpdateErrorTopologyChanged;
  }
  failed = nullptr;
  for (const auto &[node, copy] : copies) {
    copy->operation = node->operation;
    if (auto *child = std::get_if<ChildOp>(&copy->operation))
      child->graph = cloneGraph(*child->graph, &executable.copies);
    executable.copies[node] = copy;
  }
  return cudaGraphExecUpdateSuccess;
}

/// A node's label in a dot file.
std::string labelOf(const GraphNode &node) {
  static const char *const kNames[] = {"kernel",     "memcpy",      "memset",
                                       "host",       "graph",       "empty",
                                       "wait event", "record event"};
  cudaGraphNodeType type = nodeType(node.operation);
  if (const auto *kernel = std::get_if<KernelOp>(&node.operation))
    return "kernel " + kernel->entry->name;
  if (static_cast<size_t>(type) < std::size(kNames))
    return kNames[type];
  return type == cudaGraphNodeTypeMemAlloc ? "allocate" : "free";
}

} // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  return enter([&](Runtime &) {
    if (!graph || flags)
      return cudaErrorInvalidValue;
    *graph = exposeGraph(std::make_shared<Graph>());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return withGraph(handle, [&](Runtime &, Graph &) {
    forgetGraph(handle);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t original) {
  return withGraph(original, [&](Runtime &, Graph &graph) {
    if (!clone)
      return cudaErrorInvalidValue;
    *clone = exposeGraph(cloneGraph(graph));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node,
                                     cudaGraphNode_t original,
                                     cudaGraph_t cloned) {
  return withGraph(cloned, [&](Runtime &, Graph &graph) {
    if (!node)
      return cudaErrorInvalidValue;
    for (const auto &candidate : graph.nodes)
      if (handleOf(candidate->original) == original && original) {
        *node = handleOf(candidate.get());
        return cudaSuccess;
      }
    return cudaErrorInvalidValue;
  });
}

// Structure ------------------------------------------------------------------

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t *nodes,
                              size_t *count) {
  return withGraph(handle, [&](Runtime &, Graph &graph) {
    if (!count)
      return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (const auto &node : graph.nodes)
      all.push_back(handleOf(node.get()));
    handOut(all, nodes, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t *nodes,
                                  size_t *count) {
  return withGraph(handle, [&](Runtime &, Graph &graph) {
    if (!count)
      return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> roots;
    for (const auto &node : graph.nodes)
      if (node->dependencies.empty())
        roots.push_back(handleOf(node.get()));
    handOut(roots, nodes, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t *from,
                              cudaGraphNode_t *to, cudaGraphEdgeData *data,
                              size_t *count) {
  return withGraph(handle, [&](Runtime &, Graph &graph) {
    if (!count || !from != !to)
      return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> heads, tails;
    for (const auto &node : graph.nodes)
      for (GraphNode *dependency : node->dependencies) {
        heads.push_back(handleOf(dependency));
        tails.push_back(handleOf(node.get()));
      }
    size_t room = *count;
    handOut(heads, from, count);
    if (to)
      handOut(tails, to, &room);
    if (data && from)
      std::fill_n(data, *count, cudaGraphEdgeData{});
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle,
                                         cudaGraphNode_t *dependencies,
                                         cudaGraphEdgeData *data,
                                         size_t *count) {
  return enter([&](Runtime &) {
    GraphNode *node = findNode(handle);
    if (!node || !count)
      return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (GraphNode *dependency : node->dependencies)
      all.push_back(handleOf(dependency));
    handOut(all, dependencies, count);
    if (data && dependencies)
      std::fill_n(data, *count, cudaGraphEdgeData{});
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle,
                                           cudaGraphNode_t *dependents,
                                           cudaGraphEdgeData *data,
                                           size_t *count) {
  return enter([&](Runtime &) {
    GraphNode *node = findNode(handle);
    if (!node || !count)
      return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (const auto &other : node->owner->nodes)
      if (std::count(other->dependencies.begin(), other->dependencies.end(),
                     node))
        all.push_back(handleOf(other.get()));
    handOut(all, dependents, count);
    if (data && dependents)
      std::fill_n(data, *count, cudaGraphEdgeData{});
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t handle,
                                     const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *, size_t count) {
  return withGraph(handle, [&](Runtime &, Graph &graph) {
    for (size_t i = 0; i < count; ++i) {
      GraphNode *head = findNode(from[i]), *tail = findNode(to[i]);
      if (!head || !tail || head->owner != &graph || tail->owner != &graph ||
          std::count(tail->dependencies.begin(), tail->dependencies.end(),
                     head))
        return cudaErrorInvalidValue;
      tail->dependencies.push_back(head);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle,
                                        const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *,
                                        size_t count) {
  return withGraph(handle, [&](Runtime &, Graph &graph) {
    for (size_t i = 0; i < count; ++i) {
      GraphNode *head = findNode(from[i]), *tail = findNode(to[i]);
      if (!head || !tail || head->owner != &graph || tail->owner != &graph ||
          !std::erase(tail->dependencies, head))
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return enter([&](Runtime &) {
    GraphNode *node = findNode(handle);
    if (!node)
      return cudaErrorInvalidValue;
    removeNode(*node);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char *path,
                                   unsigned) {
  return withGraph(handle, [&](Runtime &, Graph &graph) {
    std::FILE *file = path ? std::fopen(path, "w") : nullptr;
    if (!file)
      return cudaErrorOperatingSystem;
    std::map<const GraphNode *, size_t> index;
    std::fprintf(file, "digraph dot {\n");
    for (const auto &node : graph.nodes) {
      index.emplace(node.get(), index.size());
      std::fprintf(file, "  n%zu [label=\"%s\"];\n", index[node.get()],
                   labelOf(*node).c_str());
    }
    for (const auto &node : graph.nodes)
      for (const GraphNode *dependency : node->dependencies)
        std::fprintf(file, "  n%zu -> n%zu;\n", index[dependency],
                     index[node.get()]);
    std::fprintf(file, "}\n");
    return std::fclose(file) ? cudaErrorOperatingSystem : cudaSuccess;
  });
}

// Executable graphs ----------------------------------------------------------

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *result, cudaGraph_t handle,
                                 unsigned long long flags) {
  return withGraph(handle, [&](Runtime &, Graph &graph) {
    return result ? instantiate(graph, flags, result) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *result,
                                          cudaGraph_t handle,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(result, handle, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *result,
                                           cudaGraph_t handle,
                                           cudaGraphInstantiateParams *params) {
  if (!params)
    return recordError(cudaErrorInvalidValue);
  cudaError_t error = cudaGraphInstantiate(result, handle, params->flags);
  params->errNode_out = nullptr;
  params->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess
                                            : cudaGraphInstantiateError;
  return error;
}
GPULTO_EMU_PER_THREAD(cudaGraphInstantiateWithParams_ptsz,
                      cudaGraphInstantiateWithParams);

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle,
                                  unsigned long long *flags) {
  return withExecutable(handle, [&](Runtime &, ExecutableGraph &executable) {
    if (!flags)
      return cudaErrorInvalidValue;
    *flags = executable.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return withExecutable(handle, [&](Runtime &, ExecutableGraph &) {
    destroyExecutable(handle);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  return withExecutable(
      handle, [&](Runtime &runtime, ExecutableGraph &executable) {
        // Into a capture an executable graph goes as a child; run directly, a
        // child is run in the order of its nodes.
        return submit(runtime, stream, ChildOp{executable.graph});
      });
}
GPULTO_EMU_PER_THREAD(cudaGraphLaunch_ptsz, cudaGraphLaunch);

cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t) {
  return withExecutable(
      handle, [](Runtime &, ExecutableGraph &) { return cudaSuccess; });
}
GPULTO_EMU_PER_THREAD(cudaGraphUpload_ptsz, cudaGraphUpload);

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
  return withExecutable(handle, [&](Runtime &, ExecutableGraph &executable) {
    std::shared_ptr<Graph> source = findGraph(graph);
    if (!source)
      return cudaErrorInvalidValue;
    GraphNode *failed = nullptr;
    cudaGraphExecUpdateResult result = update(executable, *source, failed);
    if (info)
      *info = {result, handleOf(failed), nullptr};
    return result == cudaGraphExecUpdateSuccess
               ? cudaSuccess
               : cudaErrorGraphExecUpdateFailure;
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t handle,
                                    cudaGraphNode_t node, unsigned isEnabled) {
  return withExecutable(handle, [&](Runtime &, ExecutableGraph &executable) {
    auto found =
        executable.copies.find(reinterpret_cast<const GraphNode *>(node));
    if (found == executable.copies.end())
      return cudaErrorInvalidValue;
    found->second->isEnabled = isEnabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t handle,
                                    cudaGraphNode_t node, unsigned *isEnabled) {
  return withExecutable(handle, [&](Runtime &, ExecutableGraph &executable) {
    auto found =
        executable.copies.find(reinterpret_cast<const GraphNode *>(node));
    if (found == executable.copies.end() || !isEnabled)
      return cudaErrorInvalidValue;
    *isEnabled = found->second->isEnabled;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return enter([&](Runtime &runtime) {
    return runtime.isDevice(device) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device,
                                           cudaGraphMemAttributeType attribute,
                                           void *value) {
  return enter([&](Runtime &runtime) {
    if (!runtime.isDevice(device))
      return cudaErrorInvalidDevice;
    if (!value || attribute < cudaGraphMemAttrUsedMemCurrent ||
        attribute > cudaGraphMemAttrReservedMemHigh)
      return cudaErrorInvalidValue;
    const GraphMemoryUse &use = graphMemoryUse(device);
    bool isHigh = attribute == cudaGraphMemAttrUsedMemHigh ||
                  attribute == cudaGraphMemAttrReservedMemHigh;
    *static_cast<uint64_t *>(value) = isHigh ? use.highBytes : use.currentBytes;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device,
                                           cudaGraphMemAttributeType attribute,
                                           void *value) {
  return enter([&](Runtime &runtime) {
    if (!runtime.isDevice(device))
      return cudaErrorInvalidDevice;
    // Only the high marks can be set, and only to zero.
    bool isHigh = attribute == cudaGraphMemAttrUsedMemHigh ||
                  attribute == cudaGraphMemAttrReservedMemHigh;
    if (!value || *static_cast<uint64_t *>(value) != 0 || !isHigh)
      return cudaErrorInvalidValue;
    graphMemoryUse(device).highBytes = graphMemoryUse(device).currentBytes;
    return cudaSuccess;
  });
}

// User objects ---------------------------------------------------------------

cudaError_t cudaUserObjectCreate(cudaUserObject_t *result, void *data,
                                 cudaHostFn_t destroy, unsigned count,
                                 unsigned flags) {
  return enter([&](Runtime &) {
    if (!result || !destroy || count == 0 ||
        flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    *result = reinterpret_cast<cudaUserObject_t>(
        new UserObject{data, destroy, count});
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return enter([&](Runtime &) {
    if (!object || !count)
      return cudaErrorInvalidValue;
    reinterpret_cast<UserObject *>(object)->count += count;
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return enter([&](Runtime &) {
    if (!object || !count)
      return cudaErrorInvalidValue;
    releaseUserObject(object, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t handle,
                                      cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return withGraph(handle, [&](Runtime &, Graph &graph) {
    if (!object || !count)
      return cudaErrorInvalidValue;
    if (!(flags & cudaGraphUserObjectMove))
      reinterpret_cast<UserObject *>(object)->count += count;
    graph.userObjects[object] += count;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t handle,
                                       cudaUserObject_t object,
                                       unsigned count) {
  return withGraph(handle, [&](Runtime &, Graph &graph) {
    auto found = graph.userObjects.find(object);
    if (found == graph.userObjects.end() || found->second < count)
      return cudaErrorInvalidValue;
    found->second -= count;
    if (found->second == 0)
      graph.userObjects.erase(found);
    releaseUserObject(object, count);
    return cudaSuccess;
  });
}

} // extern "C"
