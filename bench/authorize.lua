-- Somebody who is signed in is sent to the authorization endpoint again and again; the codes are written down.
local common = dofile(os.getenv("POSTERN_BENCH_LUA") .. "/common.lua")
local data = common.data
local codes = assert(io.open(data.codes, "a"))

function request() return data.requests[1] end

function response(status, headers)
  local code = (headers["Location"] or ""):match("[?&]code=([%w_-]+)")
  if status ~= 303 or not code then return common.say_wrong("status " .. status) end
  codes:write(code, "\n")
end
