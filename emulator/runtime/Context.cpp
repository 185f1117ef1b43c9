//===- Context.cpp - Contexts of the driver API ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Context.h"

#include "emulator/runtime/Runtime.h"

namespace gpulto::emu {
namespace {

/// All contexts of the process; guarded by the runtime's mutex.
struct Contexts {
  std::array<Context, kMaxDevices> primary;
  std::map<const void *, std::unique_ptr<Context>> made;
  unsigned long long nextId = 1;
};

Contexts &contexts() {
  static Contexts *all = [] {
    auto *made = new Contexts; // never destroyed, as the Runtime
    for (unsigned i = 0; i < kMaxDevices; ++i) {
      made->primary[i].device = i;
      made->primary[i].id = made->nextId++;
      made->primary[i].isPrimary = true;
    }
    return made;
  }();
  return *all;
}

/// The runtime's device is that of the current context.
void adoptDevice(ThreadState &thread) {
  if (!thread.contexts.empty())
    thread.device = thread.contexts.back()->device;
}

} // namespace

Context *currentContext() {
  const ThreadState &thread = threadState();
  return thread.contexts.empty() ? nullptr : thread.contexts.back();
}

Context &primaryContext(unsigned device) { return contexts().primary[device]; }

Context *createContext(unsigned device, unsigned flags) {
  auto context = std::make_unique<Context>();
  context->device = device;
  context->id = contexts().nextId++;
  context->flags = flags;
  context->isAlive = true;
  Context *result = context.get();
  contexts().made[result] = std::move(context);
  return result;
}

Context *findContext(const void *handle) {
  Contexts &all = contexts();
  for (Context &primary : all.primary)
    if (&primary == handle)
      return &primary;
  auto found = all.made.find(handle);
  return found == all.made.end() ? nullptr : found->second.get();
}

bool hasOtherContexts(unsigned device) {
  for (const auto &[handle, context] : contexts().made)
    if (context->isAlive && context->device == device)
      return true;
  return false;
}

void setCurrentContext(Context *context) {
  ThreadState &thread = threadState();
  if (!thread.contexts.empty())
    thread.contexts.pop_back();
  if (context)
    thread.contexts.push_back(context);
  adoptDevice(thread);
}

void pushContext(Context *context) {
  ThreadState &thread = threadState();
  thread.contexts.push_back(context);
  adoptDevice(thread);
}

void popContext() {
  ThreadState &thread = threadState();
  thread.contexts.pop_back();
  adoptDevice(thread);
}

void bindContext() {
  ThreadState &thread = threadState();
  if (thread.isInDriver)
    return;
  bool isEmpty = thread.contexts.empty();
  // A primary one that was reset comes back.
  if (!isEmpty &&
      (thread.contexts.back()->isAlive || !thread.contexts.back()->isPrimary))
    return;
  Runtime::get().initializeDriver();
  Context &primary = primaryContext(thread.device);
  primary.isAlive = primary.isHeldByRuntime = true;
  if (isEmpty)
    thread.contexts.push_back(&primary);
}

} // namespace gpulto::emu
