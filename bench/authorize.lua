-- People who are signed in are sent to the authorization endpoint in turn, again and again; the codes are written down.
local common = dofile(os.getenv("POSTERN_BENCH_LUA") .. "/common.lua")
local data = common.data
local codes = assert(io.open(data.codes, "a"))

local at = 0

function request()
  at = at % #data.requests + 1
  return data.requests[at]
end

function response(status, headers)
  local code = (headers["Location"] or ""):match("[?&]code=([%w_-]+)")
  if status ~= 303 or not code then return common.say_wrong("status " .. status) end
  codes:write(code, "\n")
end
