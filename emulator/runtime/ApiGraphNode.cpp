//===- ApiGraphNode.cpp - Entry points: nodes of graphs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every kind of node the API has the same five functions: add, get, set,
// set in an executable graph, and the generic forms that take a union. Each
// kind here has one function that makes its operation from the parameters; the
// rest is shared.
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/ClusterSize.h"
#include "emulator/runtime/Graph.h"
#include "emulator/runtime/Runtime.h"
#include "emulator/runtime/Stream.h"

using namespace gpulto::emu;

namespace {

cudaGraphNode_t handleOf(GraphNode *node) {
  return reinterpret_cast<cudaGraphNode_t>(node);
}

/// The dependencies of a node that is about to be added.
struct Dependencies {
  const cudaGraphNode_t *nodes;
  size_t count;
};

/// Adds the node whose operation \p make fills in.
template <typename Op, typename Make>
cudaError_t add(cudaGraphNode_t *result, cudaGraph_t handle,
                Dependencies dependencies, Make make) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    std::shared_ptr<Graph> graph = findGraph(handle);
    if (!graph || !result || (dependencies.count && !dependencies.nodes))
      return cudaErrorInvalidValue;
    std::vector<GraphNode *> list;
    for (size_t i = 0; i < dependencies.count; ++i)
      list.push_back(findNode(dependencies.nodes[i]));
    Op op;
    if (cudaError_t error = make(runtime, op))
      return error;
    GraphNode *node = addNode(*graph, list, std::move(op));
    *result = handleOf(node);
    return node ? cudaSuccess : cudaErrorInvalidValue;
  });
}

/// Runs \p body on the operation of a node of one kind.
template <typename Op, typename Body>
cudaError_t withNode(cudaGraphNode_t handle, Body body) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    GraphNode *node = findNode(handle);
    Op *op = node ? std::get_if<Op>(&node->operation) : nullptr;
    return op ? body(runtime, *op) : cudaErrorInvalidValue;
  });
}

/// Runs \p body on the copy of a node in an executable graph.
template <typename Op, typename Body>
cudaError_t withCopy(cudaGraphExec_t handle, cudaGraphNode_t node, Body body) {
  return enter([&](Runtime &runtime) -> cudaError_t {
    ExecutableGraph *executable = findExecutable(handle);
    if (!executable)
      return cudaErrorInvalidValue;
    auto found =
        executable->copies.find(reinterpret_cast<const GraphNode *>(node));
    if (found == executable->copies.end())
      return cudaErrorInvalidValue;
    Op *op = std::get_if<Op>(&found->second->operation);
    return op ? body(runtime, *op) : cudaErrorInvalidValue;
  });
}

// What makes an operation of each kind ---------------------------------------

template <typename Params> auto makeKernel(const Params *params) {
  return [params](Runtime &runtime, KernelOp &op) {
    if (!params || params->extra)
      return cudaErrorInvalidValue;
    KernelOp made;
    dim3 grid(params->gridDim.x, params->gridDim.y, params->gridDim.z);
    dim3 block(params->blockDim.x, params->blockDim.y, params->blockDim.z);
    cudaError_t error =
        makeKernelOp(runtime, params->func, grid, block, params->kernelParams,
                     params->sharedMemBytes, op.cooperative, made);
    made.cluster = op.cluster;
    if (error == cudaSuccess)
      op = std::move(made);
    return error;
  };
}

auto makeCopy(const cudaMemcpy3DParms *params) {
  return [params](Runtime &runtime, CopyOp &op) {
    if (!params)
      return cudaErrorInvalidValue;
    op.params = *params;
    return validateCopy(runtime, *params);
  };
}

auto makeCopy1D(void *to, const void *from, size_t count, cudaMemcpyKind kind) {
  return [=](Runtime &runtime, CopyOp &op) {
    op = makeLinearCopy(to, from, count, kind);
    return validateCopy(runtime, op.params);
  };
}

/// A copy from \p symbol to \p to, or, when that is null, from \p from to it.
auto makeSymbolCopy(const void *symbol, size_t offset, size_t count, void *to,
                    const void *from, cudaMemcpyKind kind) {
  return [=](Runtime &runtime, CopyOp &op) -> cudaError_t {
    VariableInfo info;
    if (cudaError_t error =
            runtime.registry.findVariable(runtime, symbol, info))
      return error;
    if (offset > info.sizeBytes || count > info.sizeBytes - offset)
      return cudaErrorInvalidValue;
    void *address = reinterpret_cast<void *>(info.address + offset);
    op = to ? makeLinearCopy(to, address, count, kind)
            : makeLinearCopy(address, from, count, kind);
    return validateCopy(runtime, op.params);
  };
}

template <typename Params> auto makeFill(const Params *params) {
  return [params](Runtime &, FillOp &op) {
    if (!params || !params->dst || params->width == 0 || params->height == 0)
      return cudaErrorInvalidValue;
    op.params = {params->dst,         params->pitch, params->value,
                 params->elementSize, params->width, params->height};
    return cudaSuccess;
  };
}

template <typename Params> auto makeHost(const Params *params) {
  return [params](Runtime &, HostOp &op) {
    if (!params || !params->fn)
      return cudaErrorInvalidValue;
    op.params = {params->fn, params->userData};
    return cudaSuccess;
  };
}

template <typename Op> auto makeEvent(cudaEvent_t handle) {
  return [handle](Runtime &, Op &op) {
    op.event = findEvent(handle);
    return op.event ? cudaSuccess : cudaErrorInvalidValue;
  };
}

auto makeChild(cudaGraph_t handle) {
  return [handle](Runtime &, ChildOp &op) {
    std::shared_ptr<Graph> graph = findGraph(handle);
    if (!graph)
      return cudaErrorInvalidValue;
    op.graph = cloneGraph(*graph);
    return cudaSuccess;
  };
}

template <typename Params> auto makeAllocate(Params *params) {
  return [params](Runtime &runtime, AllocateOp &op) {
    if (!params)
      return cudaErrorInvalidValue;
    op.params.poolProps = params->poolProps;
    op.params.bytesize = params->bytesize;
    op.params.accessDescs = params->accessDescs;
    op.params.accessDescCount = params->accessDescCount;
    for (size_t i = 0; i < params->accessDescCount; ++i)
      if (!runtime.isDevice(params->accessDescs[i].location.id))
        return cudaErrorInvalidValue;
    cudaError_t error = makeAllocateOp(runtime, op);
    params->dptr = op.params.dptr;
    return error;
  };
}

auto makeFree(void *address) {
  return [address](Runtime &, FreeOp &op) {
    op.address = address;
    return address ? cudaSuccess : cudaErrorInvalidValue;
  };
}

/// Sets the operation of \p node, whatever its kind, by the generic union.
/// \p with is withNode or withCopy with its handles bound.
template <typename With>
cudaError_t setGeneric(cudaGraphNodeParams &params, With with) {
  switch (params.type) {
  case cudaGraphNodeTypeKernel:
    return with(KernelOp{}, makeKernel(&params.kernel));
  case cudaGraphNodeTypeMemcpy:
    return with(CopyOp{}, makeCopy(&params.memcpy.copyParams));
  case cudaGraphNodeTypeMemset:
    return with(FillOp{}, makeFill(&params.memset));
  case cudaGraphNodeTypeHost:
    return with(HostOp{}, makeHost(&params.host));
  case cudaGraphNodeTypeGraph:
    return with(ChildOp{}, makeChild(params.graph.graph));
  case cudaGraphNodeTypeEventRecord:
    return with(EventRecordOp{},
                makeEvent<EventRecordOp>(params.eventRecord.event));
  case cudaGraphNodeTypeWaitEvent:
    return with(EventWaitOp{}, makeEvent<EventWaitOp>(params.eventWait.event));
  default:
    return notSupported("a graph node of this type");
  }
}

} // namespace

extern "C" {

// Kernels --------------------------------------------------------------------

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count,
                                   const cudaKernelNodeParams *params) {
  return add<KernelOp>(node, graph, {dependencies, count}, makeKernel(params));
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         cudaKernelNodeParams *params) {
  return withNode<KernelOp>(node, [&](Runtime &runtime, KernelOp &op) {
    if (!params || !op.entry->owner)
      return cudaErrorInvalidValue;
    if (cudaError_t error =
            runtime.registry.load(runtime, *op.entry->owner, op.device))
      return error;
    const Kernel *kernel = op.entry->on[op.device].kernel;
    if (!kernel)
      return cudaErrorInvalidValue;
    op.pointers.clear();
    for (const KernelParam &param : kernel->info().params)
      op.pointers.push_back(op.params.data() + param.offsetBytes);
    params->func = const_cast<void *>(op.function);
    params->gridDim = op.grid;
    params->blockDim = op.block;
    params->sharedMemBytes = op.sharedBytes;
    params->kernelParams = op.pointers.data();
    params->extra = nullptr;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams *params) {
  return withNode<KernelOp>(node, makeKernel(params));
}

cudaError_t
cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable,
                                 cudaGraphNode_t node,
                                 const cudaKernelNodeParams *params) {
  return withCopy<KernelOp>(executable, node, makeKernel(params));
}

cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node,
                                cudaLaunchAttributeID attribute,
                                const cudaLaunchAttributeValue *value) {
  return withNode<KernelOp>(node, [&](Runtime &, KernelOp &op) {
    if (!value)
      return cudaErrorInvalidValue;
    if (attribute == cudaLaunchAttributeClusterDimension)
      return readCluster(*value, op.cluster) ? cudaSuccess
                                             : cudaErrorInvalidValue;
    if (attribute == cudaLaunchAttributeCooperative)
      op.cooperative = value->cooperative != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node,
                                            cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue *value) {
  return withNode<KernelOp>(node, [&](Runtime &, KernelOp &op) {
    if (!value)
      return cudaErrorInvalidValue;
    *value = {};
    if (attribute == cudaLaunchAttributeCooperative)
      value->cooperative = op.cooperative;
    if (attribute == cudaLaunchAttributeClusterDimension)
      value->clusterDim = {op.cluster.x, op.cluster.y, op.cluster.z};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to,
                                              cudaGraphNode_t from) {
  return withNode<KernelOp>(to, [&](Runtime &, KernelOp &op) {
    GraphNode *source = findNode(from);
    KernelOp *other =
        source ? std::get_if<KernelOp>(&source->operation) : nullptr;
    if (!other)
      return cudaErrorInvalidValue;
    op.cooperative = other->cooperative;
    op.cluster = other->cluster;
    return cudaSuccess;
  });
}

// Copies ---------------------------------------------------------------------

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count,
                                   const cudaMemcpy3DParms *params) {
  return add<CopyOp>(node, graph, {dependencies, count}, makeCopy(params));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies,
                                     size_t count, void *to, const void *from,
                                     size_t bytes, cudaMemcpyKind kind) {
  return add<CopyOp>(node, graph, {dependencies, count},
                     makeCopy1D(to, from, bytes, kind));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node,
                                           cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies,
                                           size_t count, const void *symbol,
                                           const void *from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
  return add<CopyOp>(
      node, graph, {dependencies, count},
      makeSymbolCopy(symbol, offset, bytes, nullptr, from, kind));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t *node, cudaGraph_t graph,
    const cudaGraphNode_t *dependencies, size_t count, void *to,
    const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return add<CopyOp>(node, graph, {dependencies, count},
                     makeSymbolCopy(symbol, offset, bytes, to, nullptr, kind));
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         cudaMemcpy3DParms *params) {
  return withNode<CopyOp>(node, [&](Runtime &, CopyOp &op) {
    if (!params)
      return cudaErrorInvalidValue;
    *params = op.params;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms *params) {
  return withNode<CopyOp>(node, makeCopy(params));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to,
                                           const void *from, size_t bytes,
                                           cudaMemcpyKind kind) {
  return withNode<CopyOp>(node, makeCopy1D(to, from, bytes, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                 const void *symbol,
                                                 const void *from, size_t bytes,
                                                 size_t offset,
                                                 cudaMemcpyKind kind) {
  return withNode<CopyOp>(
      node, makeSymbolCopy(symbol, offset, bytes, nullptr, from, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node,
                                                   void *to, const void *symbol,
                                                   size_t bytes, size_t offset,
                                                   cudaMemcpyKind kind) {
  return withNode<CopyOp>(
      node, makeSymbolCopy(symbol, offset, bytes, to, nullptr, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable,
                                             cudaGraphNode_t node,
                                             const cudaMemcpy3DParms *params) {
  return withCopy<CopyOp>(executable, node, makeCopy(params));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable,
                                               cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return withCopy<CopyOp>(executable, node, makeCopy1D(to, from, bytes, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t executable, cudaGraphNode_t node, const void *symbol,
    const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return withCopy<CopyOp>(
      executable, node,
      makeSymbolCopy(symbol, offset, bytes, nullptr, from, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t executable, cudaGraphNode_t node, void *to,
    const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return withCopy<CopyOp>(
      executable, node,
      makeSymbolCopy(symbol, offset, bytes, to, nullptr, kind));
}

// Fills ----------------------------------------------------------------------

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count,
                                   const cudaMemsetParams *params) {
  return add<FillOp>(node, graph, {dependencies, count}, makeFill(params));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                         cudaMemsetParams *params) {
  return withNode<FillOp>(node, [&](Runtime &, FillOp &op) {
    if (!params)
      return cudaErrorInvalidValue;
    *params = op.params;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemsetParams *params) {
  return withNode<FillOp>(node, makeFill(params));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable,
                                             cudaGraphNode_t node,
                                             const cudaMemsetParams *params) {
  return withCopy<FillOp>(executable, node, makeFill(params));
}

// Host functions -------------------------------------------------------------

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies,
                                 size_t count,
                                 const cudaHostNodeParams *params) {
  return add<HostOp>(node, graph, {dependencies, count}, makeHost(params));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                       cudaHostNodeParams *params) {
  return withNode<HostOp>(node, [&](Runtime &, HostOp &op) {
    if (!params)
      return cudaErrorInvalidValue;
    *params = op.params;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const cudaHostNodeParams *params) {
  return withNode<HostOp>(node, makeHost(params));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable,
                                           cudaGraphNode_t node,
                                           const cudaHostNodeParams *params) {
  return withCopy<HostOp>(executable, node, makeHost(params));
}

// Child graphs, empty nodes --------------------------------------------------

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies,
                                       size_t count, cudaGraph_t child) {
  return add<ChildOp>(node, graph, {dependencies, count}, makeChild(child));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
                                            cudaGraph_t *child) {
  return withNode<ChildOp>(node, [&](Runtime &, ChildOp &op) {
    if (!child)
      return cudaErrorInvalidValue;
    *child = exposeGraph(op.graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable,
                                                 cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return withCopy<ChildOp>(executable, node, makeChild(child));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies,
                                  size_t count) {
  return add<EmptyOp>(node, graph, {dependencies, count},
                      [](Runtime &, EmptyOp &) { return cudaSuccess; });
}

// Events ---------------------------------------------------------------------

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node,
                                        cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies,
                                        size_t count, cudaEvent_t event) {
  return add<EventRecordOp>(node, graph, {dependencies, count},
                            makeEvent<EventRecordOp>(event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *dependencies,
                                      size_t count, cudaEvent_t event) {
  return add<EventWaitOp>(node, graph, {dependencies, count},
                          makeEvent<EventWaitOp>(event));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                             cudaEvent_t *event) {
  return withNode<EventRecordOp>(node, [&](Runtime &, EventRecordOp &op) {
    if (!event)
      return cudaErrorInvalidValue;
    *event = reinterpret_cast<cudaEvent_t>(op.event);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node,
                                           cudaEvent_t *event) {
  return withNode<EventWaitOp>(node, [&](Runtime &, EventWaitOp &op) {
    if (!event)
      return cudaErrorInvalidValue;
    *event = reinterpret_cast<cudaEvent_t>(op.event);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node,
                                             cudaEvent_t event) {
  return withNode<EventRecordOp>(node, makeEvent<EventRecordOp>(event));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node,
                                           cudaEvent_t event) {
  return withNode<EventWaitOp>(node, makeEvent<EventWaitOp>(event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable,
                                                 cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return withCopy<EventRecordOp>(executable, node,
                                 makeEvent<EventRecordOp>(event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable,
                                               cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return withCopy<EventWaitOp>(executable, node, makeEvent<EventWaitOp>(event));
}

// Memory ---------------------------------------------------------------------

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies,
                                     size_t count,
                                     cudaMemAllocNodeParams *params) {
  return add<AllocateOp>(node, graph, {dependencies, count},
                         makeAllocate(params));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams *params) {
  return withNode<AllocateOp>(node, [&](Runtime &, AllocateOp &op) {
    if (!params)
      return cudaErrorInvalidValue;
    *params = op.params;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies,
                                    size_t count, void *address) {
  return add<FreeOp>(node, graph, {dependencies, count}, makeFree(address));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out) {
  return withNode<FreeOp>(node, [&](Runtime &, FreeOp &op) {
    if (!out)
      return cudaErrorInvalidValue;
    *static_cast<void **>(out) = op.address;
    return cudaSuccess;
  });
}

// Generic forms --------------------------------------------------------------

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *dependencies,
                             const cudaGraphEdgeData *, size_t count,
                             cudaGraphNodeParams *params) {
  if (!params)
    return recordError(cudaErrorInvalidValue);
  Dependencies list{dependencies, count};
  if (params->type == cudaGraphNodeTypeEmpty)
    return cudaGraphAddEmptyNode(node, graph, dependencies, count);
  if (params->type == cudaGraphNodeTypeMemAlloc)
    return add<AllocateOp>(node, graph, list, makeAllocate(&params->alloc));
  if (params->type == cudaGraphNodeTypeMemFree)
    return add<FreeOp>(node, graph, list, makeFree(params->free.dptr));
  return setGeneric(*params, [&]<typename Op>(const Op &, auto make) {
    return add<Op>(node, graph, list, make);
  });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                   cudaGraphNodeParams *params) {
  if (!params)
    return recordError(cudaErrorInvalidValue);
  return setGeneric(*params, [&]<typename Op>(const Op &, auto make) {
    return withNode<Op>(node, make);
  });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable,
                                       cudaGraphNode_t node,
                                       cudaGraphNodeParams *params) {
  if (!params)
    return recordError(cudaErrorInvalidValue);
  return setGeneric(*params, [&]<typename Op>(const Op &, auto make) {
    return withCopy<Op>(executable, node, make);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle,
                                 cudaGraphNodeType *type) {
  return enter([&](Runtime &) {
    GraphNode *node = findNode(handle);
    if (!node || !type)
      return cudaErrorInvalidValue;
    *type = nodeType(node->operation);
    return cudaSuccess;
  });
}

} // extern "C"
