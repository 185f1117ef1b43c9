//===- DriverGraph.cpp - Driver API: graphs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Driver.h"

using namespace gpulto::emu;

extern "C" {

// Graphs ---------------------------------------------------------------------

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  return inDriver([&] { return cudaGraphCreate(graph, flags); });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return inDriver([&] { return cudaGraphDestroy(graph); });
}

CUresult cuGraphClone(CUgraph *clone, CUgraph graph) {
  return inDriver([&] { return cudaGraphClone(clone, graph); });
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original,
                                CUgraph clone) {
  return inDriver(
      [&] { return cudaGraphNodeFindInClone(node, original, clone); });
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  return inDriver([&] {
    return cudaGraphNodeGetType(node, sameLayout<cudaGraphNodeType>(type));
  });
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return inDriver([&] { return cudaGraphGetNodes(graph, nodes, count); });
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return inDriver([&] { return cudaGraphGetRootNodes(graph, nodes, count); });
}

CUresult cuGraphDestroyNode(CUgraphNode node) {
  return inDriver([&] { return cudaGraphDestroyNode(node); });
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags) {
  return inDriver([&] { return cudaGraphDebugDotPrint(graph, path, flags); });
}

// Edges; the older forms have no data of them ---------------------------------

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *data, size_t *count) {
  return inDriver([&] {
    return cudaGraphGetEdges(graph, from, to,
                             sameLayout<cudaGraphEdgeData>(data), count);
  });
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes,
                                       CUgraphEdgeData *data, size_t *count) {
  return inDriver([&] {
    return cudaGraphNodeGetDependencies(
        node, nodes, sameLayout<cudaGraphEdgeData>(data), count);
  });
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes,
                                         CUgraphEdgeData *data, size_t *count) {
  return inDriver([&] {
    return cudaGraphNodeGetDependentNodes(
        node, nodes, sameLayout<cudaGraphEdgeData>(data), count);
  });
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                   const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t count) {
  return inDriver([&] {
    return cudaGraphAddDependencies(
        graph, from, to, sameLayout<const cudaGraphEdgeData>(data), count);
  });
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                      const CUgraphNode *to,
                                      const CUgraphEdgeData *data,
                                      size_t count) {
  return inDriver([&] {
    return cudaGraphRemoveDependencies(
        graph, from, to, sameLayout<const cudaGraphEdgeData>(data), count);
  });
}

CUresult getEdgesOf12(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                      size_t *count) __asm__("cuGraphGetEdges");
CUresult getEdgesOf12(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                      size_t *count) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}

CUresult
getDependenciesOf12(CUgraphNode node, CUgraphNode *nodes,
                    size_t *count) __asm__("cuGraphNodeGetDependencies");
CUresult getDependenciesOf12(CUgraphNode node, CUgraphNode *nodes,
                             size_t *count) {
  return cuGraphNodeGetDependencies_v2(node, nodes, nullptr, count);
}

CUresult
getDependentNodesOf12(CUgraphNode node, CUgraphNode *nodes,
                      size_t *count) __asm__("cuGraphNodeGetDependentNodes");
CUresult getDependentNodesOf12(CUgraphNode node, CUgraphNode *nodes,
                               size_t *count) {
  return cuGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count);
}

CUresult addDependenciesOf12(CUgraph graph, const CUgraphNode *from,
                             const CUgraphNode *to,
                             size_t count) __asm__("cuGraphAddDependencies");
CUresult addDependenciesOf12(CUgraph graph, const CUgraphNode *from,
                             const CUgraphNode *to, size_t count) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}

CUresult
removeDependenciesOf12(CUgraph graph, const CUgraphNode *from,
                       const CUgraphNode *to,
                       size_t count) __asm__("cuGraphRemoveDependencies");
CUresult removeDependenciesOf12(CUgraph graph, const CUgraphNode *from,
                                const CUgraphNode *to, size_t count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

// Executable graphs ----------------------------------------------------------

CUresult cuGraphInstantiateWithFlags(CUgraphExec *result, CUgraph graph,
                                     unsigned long long flags) {
  return inContext([&] { return cudaGraphInstantiate(result, graph, flags); });
}

CUresult instantiateOf11(CUgraphExec *result, CUgraph graph,
                         CUgraphNode *failed, char *log,
                         size_t logBytes) __asm__("cuGraphInstantiate_v2");
CUresult instantiateOf11(CUgraphExec *result, CUgraph graph,
                         CUgraphNode *failed, char *log, size_t logBytes) {
  if (failed)
    *failed = nullptr;
  if (log && logBytes)
    *log = 0;
  return cuGraphInstantiateWithFlags(result, graph, 0);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *result, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  return inContext([&] {
    return cudaGraphInstantiateWithParams(
        result, graph, sameLayout<cudaGraphInstantiateParams>(params));
  });
}

CUresult cuGraphExecGetFlags(CUgraphExec graph, cuuint64_t *flags) {
  return inDriver([&] {
    return cudaGraphExecGetFlags(graph, sameLayout<unsigned long long>(flags));
  });
}

CUresult cuGraphExecDestroy(CUgraphExec graph) {
  return inDriver([&] { return cudaGraphExecDestroy(graph); });
}

CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  return inContext([&] { return cudaGraphLaunch(graph, stream); });
}

CUresult cuGraphUpload(CUgraphExec graph, CUstream stream) {
  return inContext([&] { return cudaGraphUpload(graph, stream); });
}

CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph,
                           CUgraphExecUpdateResultInfo *info) {
  return inContext([&] {
    return cudaGraphExecUpdate(executable, graph,
                               sameLayout<cudaGraphExecUpdateResultInfo>(info));
  });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec graph, CUgraphNode node,
                               unsigned isEnabled) {
  return inDriver(
      [&] { return cudaGraphNodeSetEnabled(graph, node, isEnabled); });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec graph, CUgraphNode node,
                               unsigned *isEnabled) {
  return inDriver(
      [&] { return cudaGraphNodeGetEnabled(graph, node, isEnabled); });
}

// User objects ---------------------------------------------------------------

CUresult cuUserObjectCreate(CUuserObject *object, void *data, CUhostFn destroy,
                            unsigned count, unsigned flags) {
  return inDriver([&] {
    return cudaUserObjectCreate(object, data, destroy, count, flags);
  });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return inDriver([&] { return cudaUserObjectRetain(object, count); });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return inDriver([&] { return cudaUserObjectRelease(object, count); });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object,
                                 unsigned count, unsigned flags) {
  return inDriver(
      [&] { return cudaGraphRetainUserObject(graph, object, count, flags); });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object,
                                  unsigned count) {
  return inDriver(
      [&] { return cudaGraphReleaseUserObject(graph, object, count); });
}

} // extern "C"
