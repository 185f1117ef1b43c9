-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Tables: arrays, hashes, sorting and a sieve.

local seed = 42
local function random(n)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed % n
end

local list = {}
for i = 1, 5000 do list[i] = random(100000) end
table.sort(list)
print(list[1], list[2500], list[5000])
table.sort(list, function(a, b) return a > b end)
print(list[1], list[5000])

local counts = {}
for i = 1, 20000 do
  local key = "k" .. random(500)
  counts[key] = (counts[key] or 0) + 1
end
local most = 0
for _, count in pairs(counts) do most = math.max(most, count) end
print(most)

local sieve, primes = {}, 0
for i = 2, 20000 do
  if not sieve[i] then
    primes = primes + 1
    for j = i * i, 20000, i do sieve[j] = true end
  end
end
print(primes)

local matrix = {}
for i = 1, 60 do
  matrix[i] = {}
  for j = 1, 60 do matrix[i][j] = i * j % 7 end
end
local trace = 0
for i = 1, 60 do
  for k = 1, 60 do trace = trace + matrix[i][k] * matrix[k][i] end
end
print(trace)
