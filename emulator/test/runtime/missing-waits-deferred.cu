// The same where work runs as late as CUDA allows: a wait that lacks shows.
// RUN-OPTIONS: --deferred --verbose
// EXPECT-ERR: never ran: 1 operation
// ONLY: nvcc clang
// EXPECT: other is 5
// EXPECT: memcpy from pageable: 1, then 2
// EXPECT: memcpy from pinned: 2, then 2
// EXPECT: memcpy to pageable: 2, then 2
// EXPECT: memcpy to pinned: 2, then 2
// EXPECT: memcpy on the device: 1, then 2
// EXPECT: memcpy on the host: 2, then 2
// EXPECT: memset: 1, then 0
// EXPECT: memset of pinned: 0, then 0
// EXPECT: memset of managed: 0, then 0
// EXPECT: async from pageable: 1, then 3
// EXPECT: async from pinned: 1, then 3
// EXPECT: async to pageable: 1, then 2
// EXPECT: async to pinned: 1, then 2
// EXPECT: memset async: 1, then 0
// EXPECT: launch: 1, then 2
// EXPECT: managed: 1, then 2
// EXPECT: free: 2, then 2
// EXPECT: free async: 1, then 2
// EXPECT: destroyed stream: 1, then 2
// EXPECT: free host: 2, then 2
// EXPECT: unregister: 2, then 2
// EXPECT: query 600, 1, then 0
// EXPECT: query: 2, then 2
// EXPECT: no error
// EXPECT: end
#include "missing-waits.h"
