-- Requests that may be made again and again, one after the other.
local common = dofile(os.getenv("POSTERN_BENCH_LUA") .. "/common.lua")
local requests, at = common.data.requests, 0

function request()
  at = at % #requests + 1
  return requests[at]
end
