-- Spends codes that were prepared, each once. When most are gone "low" is said: time to stop.
local common = dofile(os.getenv("POSTERN_BENCH_LUA") .. "/common.lua")
local data, codes, at = common.data, {}, 0
for line in io.lines(data.codes) do table.insert(codes, line) end
local low = math.ceil(#codes * 0.75)

function request()
  at = at + 1
  if at == low then io.stderr:write("low\n") end
  if at > #codes then return "" end  -- the connection waits for the end
  return common.post(data.head, data.before .. codes[at])
end
