// A program that lacks waits, in the usual order: all work is done when it is
// submitted.
// ONLY: nvcc clang
// EXPECT: other is 5
// EXPECT: memcpy from pageable: 2, then 2
// EXPECT: memcpy from pinned: 2, then 2
// EXPECT: memcpy to pageable: 2, then 2
// EXPECT: memcpy to pinned: 2, then 2
// EXPECT: memcpy on the device: 2, then 2
// EXPECT: memcpy on the host: 2, then 2
// EXPECT: memset: 0, then 0
// EXPECT: memset of pinned: 0, then 0
// EXPECT: memset of managed: 0, then 0
// EXPECT: async from pageable: 2, then 2
// EXPECT: async from pinned: 2, then 2
// EXPECT: async to pageable: 2, then 2
// EXPECT: async to pinned: 2, then 2
// EXPECT: memset async: 0, then 0
// EXPECT: launch: 2, then 2
// EXPECT: managed: 2, then 2
// EXPECT: free: 2, then 2
// EXPECT: free async: 2, then 2
// EXPECT: destroyed stream: 2, then 2
// EXPECT: free host: 2, then 2
// EXPECT: unregister: 2, then 2
// EXPECT: query 0, 2, then 0
// EXPECT: query: 2, then 2
// EXPECT: no error
// EXPECT: end
#include "missing-waits.h"
