-- Sends people who are signed in to the authorization endpoint in turn, each at most `each` times, and writes down the codes.
local common = dofile(os.getenv("POSTERN_BENCH_LUA") .. "/common.lua")
local data = common.data
local codes = assert(io.open(data.codes, "a"))

local sent, most = 0, #data.requests * data.each

function request()
  sent = sent + 1
  if sent == most then io.stderr:write("low\n") end
  if sent > most then return "" end  -- the connection waits for the end
  return data.requests[(sent - 1) % #data.requests + 1]
end

function response(status, headers)
  local code = (headers["Location"] or ""):match("[?&]code=([%w_-]+)")
  if status ~= 303 or not code then return common.say_wrong("status " .. status) end
  codes:write(code, "\n")
end
