-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Strings: building, formatting, bytes, and numbers in text.

local parts = {}
for i = 1, 5000 do
  parts[#parts + 1] = string.format("%05d:%x:%s", i, i * 7, ("ab"):rep(i % 5))
end
local text = table.concat(parts, ",")
print(#text)

local hash = 5381
for i = 1, #text do hash = (hash * 33 + text:byte(i)) % 4294967296 end
print(hash)

local backwards = text:reverse():upper():sub(100, 200)
print(backwards)

local total = 0
for i = 1, 3000 do total = total + tonumber(tostring(i * 0.25)) end
print(total)

local grown = ""
for i = 1, 1000 do grown = grown .. string.char(97 + i % 26) end
print(#grown, grown:sub(-10))
