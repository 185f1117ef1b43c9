//===- DriverGraphNode.cpp - Driver API: nodes of graphs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/DriverCopy.h"
#include "emulator/runtime/DriverLaunch.h"

using namespace gpulto::emu;

namespace {

/// Runs \p body with \p handle as the current context; null stands for the one
/// that is.
template <typename Body>
cudaError_t inNodeContext(CUcontext handle, Body body) {
  if (!handle)
    return body();
  Context *context = findContext(handle);
  if (!context || !context->isAlive)
    return cudaErrorInvalidResourceHandle;
  pushContext(context);
  cudaError_t error = body();
  popContext();
  return error;
}

/// Fills in \p pointers with the places of the parameters that `extra` packs.
cudaError_t unpack(const void *function, void **extra,
                   std::vector<void *> &pointers) {
  void *buffer = nullptr;
  size_t size = 0, offset = 0, bytes = 0;
  if (!readExtra(extra, buffer, size))
    return cudaErrorInvalidValue;
  while (cudaFuncGetParamInfo(function, pointers.size(), &offset, &bytes) ==
         cudaSuccess) {
    if (!buffer || offset + bytes > size)
      return cudaErrorInvalidValue;
    pointers.push_back(static_cast<char *>(buffer) + offset);
  }
  return cudaSuccess;
}

/// Runs \p body with the same parameters in the words of the runtime API.
template <typename Params, typename Body>
CUresult withKernelParams(const Params *params, Body body) {
  return inContext([&]() -> cudaError_t {
    if (!params || (params->kernelParams && params->extra))
      return cudaErrorInvalidValue;
    const void *function = params->func;
    CUcontext context = nullptr;
    if (!function) {
      function = params->kern;
      context = params->ctx;
    }
    return inNodeContext(context, [&]() -> cudaError_t {
      std::vector<void *> pointers;
      if (params->extra)
        if (cudaError_t error = unpack(function, params->extra, pointers))
          return error;
      cudaKernelNodeParams same{};
      same.func = const_cast<void *>(function);
      same.gridDim = {params->gridDimX, params->gridDimY, params->gridDimZ};
      same.blockDim = {params->blockDimX, params->blockDimY, params->blockDimZ};
      same.sharedMemBytes = params->sharedMemBytes;
      same.kernelParams =
          params->extra ? pointers.data() : params->kernelParams;
      return body(same);
    });
  });
}

template <typename Body>
CUresult withCopyParams(const CUDA_MEMCPY3D *copy, CUcontext context,
                        Body body) {
  return inContext([&]() -> cudaError_t {
    cudaMemcpy3DParms same{};
    if (!copy)
      return cudaErrorInvalidValue;
    if (cudaError_t error = toRuntimeCopy(*copy, same))
      return error;
    return inNodeContext(context, [&] { return body(same); });
  });
}

template <typename Body>
CUresult withFillParams(const void *params, CUcontext context, Body body) {
  return inContext([&] {
    return inNodeContext(context, [&] {
      return body(static_cast<const cudaMemsetParams *>(params));
    });
  });
}

static_assert(sizeof(cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS));

} // namespace

extern "C" {

// Kernels --------------------------------------------------------------------

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph,
                                 const CUgraphNode *dependencies, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS *params) {
  return withKernelParams(params, [&](const cudaKernelNodeParams &same) {
    return cudaGraphAddKernelNode(node, graph, dependencies, count, &same);
  });
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                       const CUDA_KERNEL_NODE_PARAMS *params) {
  return withKernelParams(params, [&](const cudaKernelNodeParams &same) {
    return cudaGraphKernelNodeSetParams(node, &same);
  });
}

CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec graph, CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS *params) {
  return withKernelParams(params, [&](const cudaKernelNodeParams &same) {
    return cudaGraphExecKernelNodeSetParams(graph, node, &same);
  });
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node,
                                       CUDA_KERNEL_NODE_PARAMS *params) {
  return inContext([&]() -> cudaError_t {
    cudaKernelNodeParams same{};
    if (!params)
      return cudaErrorInvalidValue;
    if (cudaError_t error = cudaGraphKernelNodeGetParams(node, &same))
      return error;
    // A stub of the host stands for a function.
    cudaFunction_t function = nullptr;
    if (cudaError_t error = cudaGetFuncBySymbol(&function, same.func))
      return error;
    *params = {};
    params->func = function;
    params->gridDimX = same.gridDim.x;
    params->gridDimY = same.gridDim.y;
    params->gridDimZ = same.gridDim.z;
    params->blockDimX = same.blockDim.x;
    params->blockDimY = same.blockDim.y;
    params->blockDimZ = same.blockDim.z;
    params->sharedMemBytes = same.sharedMemBytes;
    params->kernelParams = same.kernelParams;
    return cudaSuccess;
  });
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  return inContext([&] { return cudaGraphKernelNodeCopyAttributes(to, from); });
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node,
                                       CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue *value) {
  return inContext([&] {
    return cudaGraphKernelNodeGetAttribute(
        node, static_cast<cudaLaunchAttributeID>(attribute),
        sameLayout<cudaLaunchAttributeValue>(value));
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node,
                                       CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue *value) {
  return inContext([&] {
    return cudaGraphKernelNodeSetAttribute(
        node, static_cast<cudaLaunchAttributeID>(attribute),
        sameLayout<const cudaLaunchAttributeValue>(value));
  });
}

// Copies ---------------------------------------------------------------------

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMCPY3D *copy, CUcontext context) {
  return withCopyParams(copy, context, [&](const cudaMemcpy3DParms &same) {
    return cudaGraphAddMemcpyNode(node, graph, dependencies, count, &same);
  });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMCPY3D *copy) {
  return withCopyParams(copy, nullptr, [&](const cudaMemcpy3DParms &same) {
    return cudaGraphMemcpyNodeSetParams(node, &same);
  });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec graph, CUgraphNode node,
                                        const CUDA_MEMCPY3D *copy,
                                        CUcontext context) {
  return withCopyParams(copy, context, [&](const cudaMemcpy3DParms &same) {
    return cudaGraphExecMemcpyNodeSetParams(graph, node, &same);
  });
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *copy) {
  return inContext([&]() -> cudaError_t {
    cudaMemcpy3DParms same{};
    if (!copy)
      return cudaErrorInvalidValue;
    if (cudaError_t error = cudaGraphMemcpyNodeGetParams(node, &same))
      return error;
    return toDriverCopy(same, *copy);
  });
}

// Fills ----------------------------------------------------------------------

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *params,
                              CUcontext context) {
  return withFillParams(params, context, [&](const cudaMemsetParams *same) {
    return cudaGraphAddMemsetNode(node, graph, dependencies, count, same);
  });
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node,
                                    CUDA_MEMSET_NODE_PARAMS *params) {
  return inContext([&] {
    return cudaGraphMemsetNodeGetParams(node,
                                        sameLayout<cudaMemsetParams>(params));
  });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMSET_NODE_PARAMS *params) {
  return withFillParams(params, nullptr, [&](const cudaMemsetParams *same) {
    return cudaGraphMemsetNodeSetParams(node, same);
  });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec graph, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params,
                                        CUcontext context) {
  return withFillParams(params, context, [&](const cudaMemsetParams *same) {
    return cudaGraphExecMemsetNodeSetParams(graph, node, same);
  });
}

// Host functions -------------------------------------------------------------

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph,
                            const CUgraphNode *dependencies, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params) {
  return inContext([&] {
    return cudaGraphAddHostNode(node, graph, dependencies, count,
                                sameLayout<const cudaHostNodeParams>(params));
  });
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node,
                                  CUDA_HOST_NODE_PARAMS *params) {
  return inContext([&] {
    return cudaGraphHostNodeGetParams(node,
                                      sameLayout<cudaHostNodeParams>(params));
  });
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node,
                                  const CUDA_HOST_NODE_PARAMS *params) {
  return inContext([&] {
    return cudaGraphHostNodeSetParams(
        node, sameLayout<const cudaHostNodeParams>(params));
  });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec graph, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *params) {
  return inContext([&] {
    return cudaGraphExecHostNodeSetParams(
        graph, node, sameLayout<const cudaHostNodeParams>(params));
  });
}

// Graphs, events, memory, and nothing ----------------------------------------

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *dependencies, size_t count,
                                  CUgraph child) {
  return inContext([&] {
    return cudaGraphAddChildGraphNode(node, graph, dependencies, count, child);
  });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph) {
  return inContext(
      [&] { return cudaGraphChildGraphNodeGetGraph(node, graph); });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec graph, CUgraphNode node,
                                            CUgraph child) {
  return inContext(
      [&] { return cudaGraphExecChildGraphNodeSetParams(graph, node, child); });
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph,
                             const CUgraphNode *dependencies, size_t count) {
  return inContext(
      [&] { return cudaGraphAddEmptyNode(node, graph, dependencies, count); });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *dependencies,
                                   size_t count, CUevent event) {
  return inContext([&] {
    return cudaGraphAddEventRecordNode(node, graph, dependencies, count, event);
  });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
  return inContext(
      [&] { return cudaGraphEventRecordNodeGetEvent(node, event); });
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return inContext(
      [&] { return cudaGraphEventRecordNodeSetEvent(node, event); });
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec graph, CUgraphNode node,
                                            CUevent event) {
  return inContext(
      [&] { return cudaGraphExecEventRecordNodeSetEvent(graph, node, event); });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph,
                                 const CUgraphNode *dependencies, size_t count,
                                 CUevent event) {
  return inContext([&] {
    return cudaGraphAddEventWaitNode(node, graph, dependencies, count, event);
  });
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
  return inContext([&] { return cudaGraphEventWaitNodeGetEvent(node, event); });
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return inContext([&] { return cudaGraphEventWaitNodeSetEvent(node, event); });
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec graph, CUgraphNode node,
                                          CUevent event) {
  return inContext(
      [&] { return cudaGraphExecEventWaitNodeSetEvent(graph, node, event); });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph,
                                const CUgraphNode *dependencies, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  return inContext([&] {
    return cudaGraphAddMemAllocNode(node, graph, dependencies, count,
                                    sameLayout<cudaMemAllocNodeParams>(params));
  });
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node,
                                      CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  return inContext([&] {
    return cudaGraphMemAllocNodeGetParams(
        node, sameLayout<cudaMemAllocNodeParams>(params));
  });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph,
                               const CUgraphNode *dependencies, size_t count,
                               CUdeviceptr address) {
  return inContext([&] {
    return cudaGraphAddMemFreeNode(node, graph, dependencies, count,
                                   pointerOf(address));
  });
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address) {
  return inContext(
      [&] { return cudaGraphMemFreeNodeGetParams(node, address); });
}

// By the union of all parameters ---------------------------------------------

/// Adds a node by the function for its kind; edges carry no data here.
CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph,
                           const CUgraphNode *dependencies,
                           const CUgraphEdgeData *, size_t count,
                           CUgraphNodeParams *params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  switch (params->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return withKernelParams(&params->kernel,
                            [&](const cudaKernelNodeParams &same) {
                              return cudaGraphAddKernelNode(
                                  node, graph, dependencies, count, &same);
                            });
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return cuGraphAddMemcpyNode(node, graph, dependencies, count,
                                &params->memcpy.copyParams,
                                params->memcpy.copyCtx);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return withFillParams(
        &params->memset, params->memset.ctx, [&](const cudaMemsetParams *same) {
          return cudaGraphAddMemsetNode(node, graph, dependencies, count, same);
        });
  case CU_GRAPH_NODE_TYPE_HOST: {
    CUDA_HOST_NODE_PARAMS host{params->host.fn, params->host.userData};
    return cuGraphAddHostNode(node, graph, dependencies, count, &host);
  }
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return cuGraphAddChildGraphNode(node, graph, dependencies, count,
                                    params->graph.graph);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return cuGraphAddEmptyNode(node, graph, dependencies, count);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return cuGraphAddEventWaitNode(node, graph, dependencies, count,
                                   params->eventWait.event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return cuGraphAddEventRecordNode(node, graph, dependencies, count,
                                     params->eventRecord.event);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return cuGraphAddMemFreeNode(node, graph, dependencies, count,
                                 params->free.dptr);
  default:
    return driverNotSupported("cuGraphAddNode with a node of this type");
  }
}

CUresult cuGraphAddNode_v3(CUgraphNode *node, CUgraph graph,
                           const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count,
                           CUgraphNodeParams *params) {
  return cuGraphAddNode_v2(node, graph, dependencies, edges, count, params);
}

CUresult addNodeOf12(CUgraphNode *node, CUgraph graph,
                     const CUgraphNode *dependencies, size_t count,
                     CUgraphNodeParams *params) __asm__("cuGraphAddNode");
CUresult addNodeOf12(CUgraphNode *node, CUgraph graph,
                     const CUgraphNode *dependencies, size_t count,
                     CUgraphNodeParams *params) {
  return cuGraphAddNode_v2(node, graph, dependencies, nullptr, count, params);
}

} // extern "C"
