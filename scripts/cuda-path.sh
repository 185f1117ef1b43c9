# Sourced by the other scripts, from the root of the tree.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Prints the CUDA toolkit to use, in the order that CMake and gpulto-clang++
# use as well: CUDA_PATH, nvcc on PATH, /usr/local/cuda, third_party/cuda.
# Fails when there is none.
find_cuda() {
  local nvcc candidate
  nvcc=$(command -v nvcc || true)
  for candidate in "${CUDA_PATH:-}" \
    "${nvcc:+$(dirname "$(dirname "$(readlink -f "${nvcc:-/}")")")}" \
    /usr/local/cuda "$PWD/third_party/cuda"; do
    if [ -n "$candidate" ] && [ -e "$candidate/include/cuda_runtime.h" ]; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}
