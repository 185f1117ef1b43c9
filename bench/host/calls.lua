-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Calls: recursion, closures, methods, varargs and coroutines.

local function fibonacci(n)
  return n < 2 and n or fibonacci(n - 1) + fibonacci(n - 2)
end

local Counter = {}
Counter.__index = Counter
function Counter.new() return setmetatable({ count = 0 }, Counter) end
function Counter:add(n) self.count = self.count + n return self end

local function sum(...)
  local total = 0
  for i = 1, select("#", ...) do total = total + (select(i, ...)) end
  return total
end

local function compose(f, g) return function(x) return f(g(x)) end end

print(fibonacci(20))
local counter = Counter.new()
for i = 1, 5000 do counter:add(i):add(-1) end
print(counter.count)
local f = function(x) return x + 1 end
for _ = 1, 10 do f = compose(f, f) end
print(f(0))
local total = 0
for i = 1, 1000 do total = total + sum(i, i + 1, i + 2) end
print(total)
local generator = coroutine.wrap(function()
  for i = 1, 3000 do coroutine.yield(i) end
end)
total = 0
for _ = 1, 3000 do total = total + generator() end
print(total)
