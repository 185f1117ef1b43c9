//===- gpulto-nvcc-atomics.h - nvcc's built-in atomic functions -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// __nv_atomic_*, of which __CUDACC_DEVICE_ATOMIC_BUILTINS__ speaks ("Built-in
// Atomic Functions" in the CUDA programming guide), with the instructions that
// nvcc 13.0 writes. clang 22 has none that would do for all of them: it knows
// no scope but the system's for loads, stores and comparisons, drops the order
// of other operations, and compares unsigned numbers as signed ones where the
// scope is the block or the system. What it has right is left to it, for its
// optimizer and the whole-program analysis see through that: loads, stores and
// comparisons of the system, and relaxed operations. The rest is assembly.
//
// Order and scope may be variables, for which nvcc wants literals: where they
// are constants, the switches go, as all functions are inlined. At -O0 they
// stay, so no case may hold what the architecture has not.
//
// sm_60 to sm_62 have scopes but no orders: barriers make these, as for nvcc.
// Older ones have no such functions.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_NVCC_ATOMICS_H
#define GPULTO_NVCC_ATOMICS_H
#pragma clang system_header

// Their values are part of nvcc's interface.
enum {
  __NV_ATOMIC_RELAXED = 0,
  __NV_ATOMIC_CONSUME = 1,
  __NV_ATOMIC_ACQUIRE = 2,
  __NV_ATOMIC_RELEASE = 3,
  __NV_ATOMIC_ACQ_REL = 4,
  __NV_ATOMIC_SEQ_CST = 5
};
enum {
  __NV_THREAD_SCOPE_THREAD = 0,
  __NV_THREAD_SCOPE_BLOCK = 1,
  __NV_THREAD_SCOPE_CLUSTER = 2,
  __NV_THREAD_SCOPE_DEVICE = 3,
  __NV_THREAD_SCOPE_SYSTEM = 4
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600

#ifdef __OPTIMIZE__
#define GPULTO_DEVICE __attribute__((device, always_inline)) inline
#else
#define GPULTO_DEVICE __attribute__((device)) inline
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define GPULTO_CLUSTER ".cluster"
#define GPULTO_WIDEST_EXCHANGE 16
#else
#define GPULTO_CLUSTER ".gpu"
#define GPULTO_WIDEST_EXCHANGE 8
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define GPULTO_HAS_ORDERS 1
#define GPULTO_WIDEST_ACCESS 16
#define GPULTO_NARROWEST_COMPARISON 2
#else
#define GPULTO_HAS_ORDERS 0
#define GPULTO_WIDEST_ACCESS 8
#define GPULTO_NARROWEST_COMPARISON 4
#endif

// An instruction for each scope.
#define GPULTO_SCOPES(HEAD, TAIL, ...)                                         \
  switch (scope) {                                                             \
  case __NV_THREAD_SCOPE_THREAD:                                               \
  case __NV_THREAD_SCOPE_BLOCK:                                                \
    asm volatile(HEAD ".cta" TAIL __VA_ARGS__);                                \
    break;                                                                     \
  case __NV_THREAD_SCOPE_CLUSTER:                                              \
    asm volatile(HEAD GPULTO_CLUSTER TAIL __VA_ARGS__);                        \
    break;                                                                     \
  case __NV_THREAD_SCOPE_DEVICE:                                               \
    asm volatile(HEAD ".gpu" TAIL __VA_ARGS__);                                \
    break;                                                                     \
  default:                                                                     \
    asm volatile(HEAD ".sys" TAIL __VA_ARGS__);                                \
  }

#if GPULTO_HAS_ORDERS
// Only what is sequentially consistent needs more than its own instruction.
GPULTO_DEVICE void __gpulto_atomic_before(int order, int scope) {
  if (order == __NV_ATOMIC_SEQ_CST)
    GPULTO_SCOPES("fence.sc", ";", :: : "memory")
}
GPULTO_DEVICE void __gpulto_atomic_after(int, int) {}

#define GPULTO_LOADS(TAIL, ...)                                                \
  if (order == __NV_ATOMIC_RELAXED)                                            \
    GPULTO_SCOPES("ld.relaxed", TAIL, __VA_ARGS__)                             \
  else                                                                         \
    GPULTO_SCOPES("ld.acquire", TAIL, __VA_ARGS__)
#define GPULTO_STORES(TAIL, ...)                                               \
  if (order == __NV_ATOMIC_RELAXED || order == __NV_ATOMIC_SEQ_CST)            \
    GPULTO_SCOPES("st.relaxed", TAIL, __VA_ARGS__)                             \
  else                                                                         \
    GPULTO_SCOPES("st.release", TAIL, __VA_ARGS__)
#define GPULTO_EXCHANGES(TAIL, ...)                                            \
  switch (order) {                                                             \
  case __NV_ATOMIC_RELAXED:                                                    \
    GPULTO_SCOPES("atom.relaxed", TAIL, __VA_ARGS__)                           \
    break;                                                                     \
  case __NV_ATOMIC_RELEASE:                                                    \
    GPULTO_SCOPES("atom.release", TAIL, __VA_ARGS__)                           \
    break;                                                                     \
  case __NV_ATOMIC_ACQ_REL:                                                    \
    GPULTO_SCOPES("atom.acq_rel", TAIL, __VA_ARGS__)                           \
    break;                                                                     \
  default:                                                                     \
    GPULTO_SCOPES("atom.acquire", TAIL, __VA_ARGS__)                           \
  }
#else
GPULTO_DEVICE void __gpulto_atomic_before(int order, int scope) {
  if (order == __NV_ATOMIC_RELAXED)
    return;
  if (scope <= __NV_THREAD_SCOPE_BLOCK)
    __nvvm_membar_cta();
  else if (scope <= __NV_THREAD_SCOPE_DEVICE)
    __nvvm_membar_gl();
  else
    __nvvm_membar_sys();
}
GPULTO_DEVICE void __gpulto_atomic_after(int order, int scope) {
  __gpulto_atomic_before(order, scope);
}

#define GPULTO_LOADS(TAIL, ...) asm volatile("ld.volatile" TAIL __VA_ARGS__);
#define GPULTO_STORES(TAIL, ...) asm volatile("st.volatile" TAIL __VA_ARGS__);
#define GPULTO_EXCHANGES(TAIL, ...) GPULTO_SCOPES("atom", TAIL, __VA_ARGS__)
#endif

// Loads and stores, overloaded for the type of what is at the address. VALUE is
// that of a register.
#define GPULTO_ACCESSES(BITS, TYPE, VALUE, REGISTER, SYSTEM_LOAD,              \
                        SYSTEM_STORE)                                          \
  GPULTO_DEVICE TYPE __gpulto_atomic_load(TYPE *address, int order,            \
                                          int scope) {                         \
    SYSTEM_LOAD                                                                \
    VALUE value;                                                               \
    __gpulto_atomic_before(order, scope);                                      \
    GPULTO_LOADS(".b" BITS " %0, [%1];", : "=" REGISTER(value) : "l"(          \
                                             address) : "memory")              \
    __gpulto_atomic_after(order, scope);                                       \
    return value;                                                              \
  }                                                                            \
  GPULTO_DEVICE void __gpulto_atomic_store(TYPE *address, TYPE stored,         \
                                           int order, int scope) {             \
    SYSTEM_STORE                                                               \
    VALUE value = stored;                                                      \
    __gpulto_atomic_before(order, scope);                                      \
    GPULTO_STORES(".b" BITS " [%0], %1;", : : "l"(address),                    \
                  REGISTER(value) : "memory")                                  \
    __gpulto_atomic_after(order, scope);                                       \
  }
// What clang has right is left to it.
#if GPULTO_HAS_ORDERS
#define GPULTO_SYSTEM(...)                                                     \
  if (scope == __NV_THREAD_SCOPE_SYSTEM)                                       \
  __VA_ARGS__
#else
#define GPULTO_SYSTEM(...)
#endif
#define GPULTO_SYSTEM_LOAD                                                     \
  GPULTO_SYSTEM(                                                               \
      return __scoped_atomic_load_n(address, order, __MEMORY_SCOPE_SYSTEM);)
#define GPULTO_SYSTEM_STORE                                                    \
  GPULTO_SYSTEM(return __scoped_atomic_store_n(address, stored, order,         \
                                               __MEMORY_SCOPE_SYSTEM);)

GPULTO_ACCESSES("8", unsigned char, unsigned, "r", GPULTO_SYSTEM_LOAD,
                GPULTO_SYSTEM_STORE)
GPULTO_ACCESSES("16", unsigned short, unsigned short, "h", GPULTO_SYSTEM_LOAD,
                GPULTO_SYSTEM_STORE)
GPULTO_ACCESSES("32", unsigned, unsigned, "r", GPULTO_SYSTEM_LOAD,
                GPULTO_SYSTEM_STORE)
GPULTO_ACCESSES("64", unsigned long long, unsigned long long, "l",
                GPULTO_SYSTEM_LOAD, GPULTO_SYSTEM_STORE)
#if GPULTO_HAS_ORDERS
GPULTO_ACCESSES("128", unsigned __int128, unsigned __int128, "q", , )
#endif

// Operations that return what was at the address.
#define GPULTO_OPERATION(NAME, TYPE, PTX, REGISTER, RELAXED)                   \
  GPULTO_DEVICE TYPE __gpulto_atomic_##NAME(TYPE *address, TYPE value,         \
                                            int order, int scope) {            \
    RELAXED                                                                    \
    TYPE old;                                                                  \
    __gpulto_atomic_before(order, scope);                                      \
    GPULTO_EXCHANGES(                                                          \
        "." PTX " %0, [%1], %2;", : "=" REGISTER(old) : "l"(address),          \
        REGISTER(value) : "memory")                                            \
    __gpulto_atomic_after(order, scope);                                       \
    return old;                                                                \
  }
#define GPULTO_RELAXED_DEVICE(NVVM, TYPE)                                      \
  if (order == __NV_ATOMIC_RELAXED && (scope == __NV_THREAD_SCOPE_CLUSTER ||   \
                                       scope == __NV_THREAD_SCOPE_DEVICE))     \
    return __nvvm_atom_##NVVM((TYPE *)address, value);
#define GPULTO_RELAXED(NVVM, TYPE)                                             \
  if (order == __NV_ATOMIC_RELAXED && scope <= __NV_THREAD_SCOPE_BLOCK)        \
    return __nvvm_atom_cta_##NVVM((TYPE *)address, value);                     \
  if (order == __NV_ATOMIC_RELAXED && scope == __NV_THREAD_SCOPE_SYSTEM)       \
    return __nvvm_atom_sys_##NVVM((TYPE *)address, value);                     \
  GPULTO_RELAXED_DEVICE(NVVM, TYPE)

GPULTO_OPERATION(add, unsigned, "add.u32", "r",
                 GPULTO_RELAXED(add_gen_i, int))
GPULTO_OPERATION(add, unsigned long long, "add.u64", "l",
                 GPULTO_RELAXED(add_gen_ll, long long))
GPULTO_OPERATION(add, float, "add.f32", "f",
                 GPULTO_RELAXED(add_gen_f, float))
GPULTO_OPERATION(add, double, "add.f64", "d",
                 GPULTO_RELAXED(add_gen_d, double))
GPULTO_OPERATION(and, unsigned, "and.b32", "r",
                 GPULTO_RELAXED(and_gen_i, int))
GPULTO_OPERATION(and, unsigned long long, "and.b64", "l",
                 GPULTO_RELAXED(and_gen_ll, long long))
GPULTO_OPERATION(or, unsigned, "or.b32", "r",
                 GPULTO_RELAXED(or_gen_i, int))
GPULTO_OPERATION(or, unsigned long long, "or.b64", "l",
                 GPULTO_RELAXED(or_gen_ll, long long))
GPULTO_OPERATION(xor, unsigned, "xor.b32", "r",
                 GPULTO_RELAXED(xor_gen_i, int))
GPULTO_OPERATION(xor, unsigned long long, "xor.b64", "l",
                 GPULTO_RELAXED(xor_gen_ll, long long))
GPULTO_OPERATION(min, int, "min.s32", "r",
                 GPULTO_RELAXED(min_gen_i, int))
GPULTO_OPERATION(min, unsigned, "min.u32", "r",
                 GPULTO_RELAXED_DEVICE(min_gen_ui, unsigned))
GPULTO_OPERATION(min, long long, "min.s64", "l",
                 GPULTO_RELAXED(min_gen_ll, long long))
GPULTO_OPERATION(min, unsigned long long, "min.u64", "l",
                 GPULTO_RELAXED_DEVICE(min_gen_ull, unsigned long long))
GPULTO_OPERATION(max, int, "max.s32", "r",
                 GPULTO_RELAXED(max_gen_i, int))
GPULTO_OPERATION(max, unsigned, "max.u32", "r",
                 GPULTO_RELAXED_DEVICE(max_gen_ui, unsigned))
GPULTO_OPERATION(max, long long, "max.s64", "l",
                 GPULTO_RELAXED(max_gen_ll, long long))
GPULTO_OPERATION(max, unsigned long long, "max.u64", "l",
                 GPULTO_RELAXED_DEVICE(max_gen_ull, unsigned long long))
GPULTO_OPERATION(exchange, unsigned, "exch.b32", "r",
                 GPULTO_RELAXED(xchg_gen_i, int))
GPULTO_OPERATION(exchange, unsigned long long, "exch.b64", "l",
                 GPULTO_RELAXED(xchg_gen_ll, long long))

#define GPULTO_COMPARISON(BITS, TYPE, REGISTER, SYSTEM_COMPARISON)              \
  GPULTO_DEVICE TYPE __gpulto_atomic_compare_exchange(                          \
      TYPE *address, TYPE expected, TYPE desired, int order, int scope) {       \
    SYSTEM_COMPARISON                                                           \
    TYPE old;                                                                   \
    __gpulto_atomic_before(order, scope);                                       \
    GPULTO_EXCHANGES(                                                           \
        ".cas.b" BITS " %0, [%1], %2, %3;", : "=" REGISTER(old) : "l"(address), \
        REGISTER(expected), REGISTER(desired) : "memory")                       \
    __gpulto_atomic_after(order, scope);                                        \
    return old;                                                                 \
  }
#define GPULTO_SYSTEM_COMPARISON                                               \
  GPULTO_SYSTEM({                                                              \
    __scoped_atomic_compare_exchange_n(address, &expected, desired,            \
                                       /*weak=*/false, order, order,           \
                                       __MEMORY_SCOPE_SYSTEM);                 \
    return expected;                                                           \
  })
GPULTO_COMPARISON("32", unsigned, "r", GPULTO_SYSTEM_COMPARISON)
GPULTO_COMPARISON("64", unsigned long long, "l", GPULTO_SYSTEM_COMPARISON)
#if GPULTO_HAS_ORDERS
GPULTO_COMPARISON("16", unsigned short, "h", ) // a loop of 32 bits for clang
#endif
#if GPULTO_WIDEST_EXCHANGE == 16
GPULTO_OPERATION(exchange, unsigned __int128, "exch.b128", "q", )
GPULTO_COMPARISON("128", unsigned __int128, "q", )
#endif

#undef GPULTO_SYSTEM_COMPARISON
#undef GPULTO_COMPARISON
#undef GPULTO_RELAXED
#undef GPULTO_RELAXED_DEVICE
#undef GPULTO_OPERATION
#undef GPULTO_SYSTEM_STORE
#undef GPULTO_SYSTEM_LOAD
#undef GPULTO_SYSTEM
#undef GPULTO_ACCESSES
#undef GPULTO_EXCHANGES
#undef GPULTO_STORES
#undef GPULTO_LOADS

// The type that does for objects of a size (for those of wrong sizes, too,
// which are refused), for what is added and what is compared.
template <unsigned Bytes> struct __gpulto_atomic_bits {
  typedef unsigned type;
};
template <> struct __gpulto_atomic_bits<1> {
  typedef unsigned char type;
};
template <> struct __gpulto_atomic_bits<2> {
  typedef unsigned short type;
};
template <> struct __gpulto_atomic_bits<8> {
  typedef unsigned long long type;
};
template <> struct __gpulto_atomic_bits<16> {
  typedef unsigned __int128 type;
};
template <typename T>
struct __gpulto_atomic_sum : __gpulto_atomic_bits<sizeof(T)> {};
template <> struct __gpulto_atomic_sum<float> {
  typedef float type;
};
template <> struct __gpulto_atomic_sum<double> {
  typedef double type;
};
template <typename T>
struct __gpulto_atomic_extreme : __gpulto_atomic_bits<sizeof(T)> {};
template <> struct __gpulto_atomic_extreme<int> {
  typedef int type;
};
template <> struct __gpulto_atomic_extreme<long> {
  typedef long long type;
};
template <> struct __gpulto_atomic_extreme<long long> {
  typedef long long type;
};

// What nvcc refuses: types, and orders and scopes that are constants.
#define GPULTO_NEED_SIZE(T, SMALLEST, LARGEST, MESSAGE)                        \
  _Static_assert(sizeof(T) >= SMALLEST && sizeof(T) <= LARGEST &&              \
                     !(sizeof(T) & (sizeof(T) - 1)),                           \
                 MESSAGE)
#define GPULTO_NEED_ACCESSIBLE(T)                                              \
  GPULTO_NEED_SIZE(T, 1, GPULTO_WIDEST_ACCESS,                                 \
                   "atomic loads and stores take objects of 1, 2, 4, 8 and, "  \
                   "from sm_70 on, 16 bytes")
#define GPULTO_NEED_EXCHANGEABLE(T)                                            \
  GPULTO_NEED_SIZE(T, 4, GPULTO_WIDEST_EXCHANGE,                               \
                   "atomic exchanges take objects of 4, 8 and, from sm_90 "    \
                   "on, 16 bytes")
#define GPULTO_NEED_COMPARABLE(T)                                              \
  GPULTO_NEED_SIZE(T, GPULTO_NARROWEST_COMPARISON, GPULTO_WIDEST_EXCHANGE,     \
                   "atomic comparisons take objects of 4, 8 and, from sm_70 "  \
                   "on, 2 and, from sm_90 on, 16 bytes")
#define GPULTO_NEED_SAME_SIZE(T, U)                                            \
  _Static_assert(sizeof(T) == sizeof(U),                                       \
                 "atomic operations take objects of one size")
#define GPULTO_NEED_INTEGER(T)                                                 \
  _Static_assert(__is_integral(T) && !__is_const(T) && !__is_volatile(T),      \
                 "atomic operations whose names end in _n take integers, "     \
                 "neither const nor volatile")
#define GPULTO_NEED(T, CONDITION, MESSAGE)                                     \
  _Static_assert((sizeof(T) == 4 || sizeof(T) == 8) && !__is_const(T) &&       \
                     !__is_volatile(T) && (__is_pointer(T) || (CONDITION)),    \
                 MESSAGE)
#define GPULTO_NEED_SUMMAND(T)                                                 \
  GPULTO_NEED(T,                                                               \
              (__is_integral(T) && (sizeof(T) == 4 || !__is_signed(T))) ||     \
                  __is_same(T, float) || __is_same(T, double),                 \
              "atomic additions and subtractions take int, unsigned, "         \
              "unsigned long long, float and double")
#define GPULTO_NEED_ORDERED(T)                                                 \
  GPULTO_NEED(T, __is_integral(T),                                             \
              "atomic minima and maxima take integers of 4 and 8 bytes")
#define GPULTO_NEED_LOGICAL(T)                                                 \
  GPULTO_NEED(T, __is_integral(T) || (__is_enum(T) && !__is_scoped_enum(T)),   \
              "atomic and, or and xor take integers of 4 and 8 bytes")

#define GPULTO_REFUSE(CONDITION, MESSAGE)                                      \
  __attribute__((diagnose_if(CONDITION, MESSAGE, "error")))
#define GPULTO_CHECK_ORDER(ORDER)                                              \
  GPULTO_REFUSE((ORDER) < __NV_ATOMIC_RELAXED ||                               \
                    (ORDER) > __NV_ATOMIC_SEQ_CST,                             \
                "there is no such memory order")
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define GPULTO_CHECK_CLUSTER
#else
#define GPULTO_CHECK_CLUSTER                                                   \
  __attribute__((diagnose_if(                                                  \
      scope == __NV_THREAD_SCOPE_CLUSTER,                                      \
      "before sm_90 the scope of a cluster is its device", "warning")))
#endif
#define GPULTO_CHECK_SCOPE                                                     \
  GPULTO_REFUSE(                                                               \
      scope<__NV_THREAD_SCOPE_THREAD || scope> __NV_THREAD_SCOPE_SYSTEM,       \
      "there is no such thread scope")                                         \
  GPULTO_CHECK_CLUSTER
#define GPULTO_CHECK GPULTO_CHECK_ORDER(order) GPULTO_CHECK_SCOPE
#define GPULTO_CHECK_LOAD                                                      \
  GPULTO_CHECK                                                                 \
  GPULTO_REFUSE(order == __NV_ATOMIC_RELEASE || order == __NV_ATOMIC_ACQ_REL,  \
                "an atomic load has no order release or acq_rel")
#define GPULTO_CHECK_STORE                                                     \
  GPULTO_CHECK                                                                 \
  GPULTO_REFUSE(order == __NV_ATOMIC_CONSUME ||                                \
                    order == __NV_ATOMIC_ACQUIRE ||                            \
                    order == __NV_ATOMIC_ACQ_REL,                              \
                "an atomic store has no order consume, acquire or acq_rel")
#define GPULTO_CHECK_COMPARISON                                                \
  GPULTO_CHECK_ORDER(success)                                                  \
  GPULTO_CHECK_ORDER(failure)                                                  \
  GPULTO_CHECK_SCOPE

template <typename T, typename U>
GPULTO_DEVICE void
__nv_atomic_load(T *address, U *result, int order,
                 int scope = __NV_THREAD_SCOPE_SYSTEM) GPULTO_CHECK_LOAD {
  GPULTO_NEED_ACCESSIBLE(T);
  GPULTO_NEED_SAME_SIZE(T, U);
  typedef typename __gpulto_atomic_bits<sizeof(T)>::type Bits;
  Bits bits = __gpulto_atomic_load((Bits *)address, order, scope);
  __builtin_memcpy((void *)result, &bits, sizeof(bits));
}
template <typename T>
GPULTO_DEVICE T __nv_atomic_load_n(T *address, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM)
    GPULTO_CHECK_LOAD {
  GPULTO_NEED_INTEGER(T);
  T result;
  __nv_atomic_load(address, &result, order, scope);
  return result;
}

template <typename T, typename U>
GPULTO_DEVICE void
__nv_atomic_store(T *address, U *value, int order,
                  int scope = __NV_THREAD_SCOPE_SYSTEM) GPULTO_CHECK_STORE {
  GPULTO_NEED_ACCESSIBLE(T);
  GPULTO_NEED_SAME_SIZE(T, U);
  typedef typename __gpulto_atomic_bits<sizeof(T)>::type Bits;
  Bits bits;
  __builtin_memcpy(&bits, (const void *)value, sizeof(bits));
  __gpulto_atomic_store((Bits *)address, bits, order, scope);
}
template <typename T, typename U>
GPULTO_DEVICE void
__nv_atomic_store_n(T *address, U value, int order,
                    int scope = __NV_THREAD_SCOPE_SYSTEM) GPULTO_CHECK_STORE {
  GPULTO_NEED_INTEGER(T);
  T converted = (T)value;
  __nv_atomic_store(address, &converted, order, scope);
}

template <typename T, typename U, typename V>
GPULTO_DEVICE void
__nv_atomic_exchange(T *address, U *value, V *result, int order,
                     int scope = __NV_THREAD_SCOPE_SYSTEM) GPULTO_CHECK {
  GPULTO_NEED_EXCHANGEABLE(T);
  GPULTO_NEED_SAME_SIZE(T, U);
  GPULTO_NEED_SAME_SIZE(T, V);
  typedef typename __gpulto_atomic_bits<sizeof(T)>::type Bits;
  Bits bits;
  __builtin_memcpy(&bits, (const void *)value, sizeof(bits));
  bits = __gpulto_atomic_exchange((Bits *)address, bits, order, scope);
  __builtin_memcpy((void *)result, &bits, sizeof(bits));
}
template <typename T, typename U>
GPULTO_DEVICE T __nv_atomic_exchange_n(T *address, U value, int order,
                                       int scope = __NV_THREAD_SCOPE_SYSTEM)
    GPULTO_CHECK {
  GPULTO_NEED_INTEGER(T);
  T converted = (T)value;
  __nv_atomic_exchange(address, &converted, &converted, order, scope);
  return converted;
}

// What is as strong as two orders. nvcc takes the larger number, which for a
// release and an acquire is no acquire.
GPULTO_DEVICE int __gpulto_atomic_stronger(int a, int b) {
  int weaker = a < b ? a : b, stronger = a < b ? b : a;
  if (stronger == __NV_ATOMIC_RELEASE &&
      (weaker == __NV_ATOMIC_CONSUME || weaker == __NV_ATOMIC_ACQUIRE))
    return __NV_ATOMIC_ACQ_REL;
  return stronger;
}
template <typename T, typename U, typename V>
GPULTO_DEVICE bool __nv_atomic_compare_exchange(
    T *address, U *expected, V *desired, bool, int success, int failure,
    int scope = __NV_THREAD_SCOPE_SYSTEM) GPULTO_CHECK_COMPARISON {
  GPULTO_NEED_COMPARABLE(T);
  GPULTO_NEED_SAME_SIZE(T, U);
  GPULTO_NEED_SAME_SIZE(T, V);
  typedef typename __gpulto_atomic_bits<sizeof(T)>::type Bits;
  Bits before, after;
  __builtin_memcpy(&before, (const void *)expected, sizeof(before));
  __builtin_memcpy(&after, (const void *)desired, sizeof(after));
  Bits old = __gpulto_atomic_compare_exchange(
      (Bits *)address, before, after,
      __gpulto_atomic_stronger(success, failure), scope);
  if (old == before)
    return true;
  __builtin_memcpy((void *)expected, &old, sizeof(old));
  return false;
}
template <typename T, typename U, typename V>
GPULTO_DEVICE bool __nv_atomic_compare_exchange_n(
    T *address, U *expected, V desired, bool weak, int success, int failure,
    int scope = __NV_THREAD_SCOPE_SYSTEM) GPULTO_CHECK_COMPARISON {
  GPULTO_NEED_INTEGER(T);
  T converted = (T)desired;
  return __nv_atomic_compare_exchange(address, expected, &converted, weak,
                                      success, failure, scope);
}

#define GPULTO_FETCH(NAME, OPERATION, SIGN, NEED, TYPE)                        \
  template <typename T, typename U>                                            \
  GPULTO_DEVICE T __nv_atomic_fetch_##NAME(                                    \
      T *address, U value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)    \
      GPULTO_CHECK {                                                           \
    NEED(T);                                                                   \
    typedef typename TYPE::type Number;                                        \
    return (T)__gpulto_atomic_##OPERATION(                                     \
        (Number *)address, SIGN(Number)(T) value, order, scope);               \
  }                                                                            \
  template <typename T, typename U>                                            \
  GPULTO_DEVICE void __nv_atomic_##NAME(T *address, U value, int order,        \
                                        int scope = __NV_THREAD_SCOPE_SYSTEM)  \
      GPULTO_CHECK {                                                           \
    (void)__nv_atomic_fetch_##NAME(address, value, order, scope);              \
  }
GPULTO_FETCH(add, add, , GPULTO_NEED_SUMMAND, __gpulto_atomic_sum<T>)
GPULTO_FETCH(sub, add, -, GPULTO_NEED_SUMMAND, __gpulto_atomic_sum<T>)
GPULTO_FETCH(and, and, , GPULTO_NEED_LOGICAL, __gpulto_atomic_bits<sizeof(T)>)
GPULTO_FETCH(or, or, , GPULTO_NEED_LOGICAL, __gpulto_atomic_bits<sizeof(T)>)
GPULTO_FETCH(xor, xor, , GPULTO_NEED_LOGICAL, __gpulto_atomic_bits<sizeof(T)>)
GPULTO_FETCH(min, min, , GPULTO_NEED_ORDERED, __gpulto_atomic_extreme<T>)
GPULTO_FETCH(max, max, , GPULTO_NEED_ORDERED, __gpulto_atomic_extreme<T>)

// What C++ says of fences. nvcc's are sequentially consistent but for
// __NV_ATOMIC_ACQ_REL.
GPULTO_DEVICE void
__nv_atomic_thread_fence(int order,
                         int scope = __NV_THREAD_SCOPE_SYSTEM) GPULTO_CHECK {
#if GPULTO_HAS_ORDERS
  if (order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_SEQ_CST)
    GPULTO_SCOPES("fence.acq_rel", ";", :: : "memory")
#endif
  __gpulto_atomic_before(order, scope);
}

#undef GPULTO_FETCH
#undef GPULTO_CHECK_COMPARISON
#undef GPULTO_CHECK_STORE
#undef GPULTO_CHECK_LOAD
#undef GPULTO_CHECK
#undef GPULTO_CHECK_SCOPE
#undef GPULTO_CHECK_CLUSTER
#undef GPULTO_CHECK_ORDER
#undef GPULTO_REFUSE
#undef GPULTO_NEED_LOGICAL
#undef GPULTO_NEED_ORDERED
#undef GPULTO_NEED_SUMMAND
#undef GPULTO_NEED
#undef GPULTO_NEED_INTEGER
#undef GPULTO_NEED_SAME_SIZE
#undef GPULTO_NEED_COMPARABLE
#undef GPULTO_NEED_EXCHANGEABLE
#undef GPULTO_NEED_ACCESSIBLE
#undef GPULTO_NEED_SIZE
#undef GPULTO_SCOPES
#undef GPULTO_NARROWEST_COMPARISON
#undef GPULTO_WIDEST_ACCESS
#undef GPULTO_HAS_ORDERS
#undef GPULTO_WIDEST_EXCHANGE
#undef GPULTO_CLUSTER
#undef GPULTO_DEVICE

#endif
#endif
