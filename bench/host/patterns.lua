-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Patterns: finding, captures and substitution.

local lines = {}
for i = 1, 1500 do
  lines[i] = ("key%d = %d; // note %d, see <http://host/%d>"):format(
    i, i * i, i % 17, i)
end
local text = table.concat(lines, "\n")

local sum = 0
for value in text:gmatch("= (%d+);") do sum = sum + tonumber(value) end
print(sum)

local changed, count = text:gsub("<(%w+)://([%w/]+)>", "[%2](%1)")
print(count, #changed)

local words = {}
for word in text:gmatch("%a+") do words[word] = (words[word] or 0) + 1 end
print(words.note, words.key)

print(text:find("key1500", 1, true), text:find("^key1 "), text:match("%s(%d+),"))
print(#(text:gsub("%s+", " "):gsub("[^%d]", "")))
