-- Sends each line of a file once, within a request that is the same around it: what a client has signed is good once. When most are gone
-- "low" is said: time to stop.
local common = dofile(os.getenv("POSTERN_BENCH_LUA") .. "/common.lua")
local data, lines, at = common.data, {}, 0
for line in io.lines(data.lines) do table.insert(lines, line) end
local low = math.ceil(#lines * 0.75)

function request()
  at = at + 1
  if at == low then io.stderr:write("low\n") end
  if at > #lines then return "" end  -- the connection waits for the end
  return data.before .. lines[at] .. data.after
end
