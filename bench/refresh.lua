-- Chains of refresh tokens: each answer holds the one that is spent next. There are more chains than connections, so that one
-- is always ready, whichever answer comes first.
local common = dofile(os.getenv("POSTERN_BENCH_LUA") .. "/common.lua")
local data = common.data
local ready, first, last = data.tokens, 1, #data.tokens

function request()
  local token = ready[first]
  ready[first] = nil
  first = first + 1
  return common.post(data.head, data.before .. (token or "none"))
end

function response(status, _, body)
  local token = body:match('"refresh_token":"([^"]+)"')
  if status ~= 200 or not token then return common.say_wrong("status " .. status) end
  last = last + 1
  ready[last] = token
end
