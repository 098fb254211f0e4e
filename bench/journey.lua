-- Whole sign-ins: to the authorization endpoint, through the login form when one is shown, and back with a code for tokens.
-- Each thread has one connection and is one browser after the other, of one of the people each time: of one user only so
-- many sessions and grants live, and which of one second's is the oldest is chance.
local common = dofile(os.getenv("POSTERN_BENCH_LUA") .. "/common.lua")
local data = common.data
local person, cookies, begun, steps, following

math.randomseed(common.now())
local function restart()
  person, cookies, begun, steps, following = data.people[math.random(#data.people)], {}, nil, 0, nil
end
restart()

local function get(target)
  local pairs_of = { person.cookie ~= "" and person.cookie or nil }
  for name, value in pairs(cookies) do table.insert(pairs_of, name .. "=" .. value) end
  local cookie = #pairs_of > 0 and "Cookie: " .. table.concat(pairs_of, "; ") .. "\r\n" or ""
  return "GET " .. target .. " HTTP/1.1\r\nHost: " .. data.host .. "\r\n" .. cookie .. "\r\n", cookie
end

local function encoded(text)
  return (text:gsub("[^%w._~-]", function(character) return string.format("%%%02X", character:byte()) end))
end

local function filled(form)
  local fields = {}
  for input in form:gmatch("<input[^>]*>") do
    local name, value = input:match('name="([^"]*)"'), input:match('value="([^"]*)"') or ""
    if name then table.insert(fields, name .. "=" .. encoded(person.fields[name] or value)) end
  end
  return table.concat(fields, "&")
end

function request()
  if not begun then begun = common.now() end
  return following or (get(data.start))
end

local function fail(what)
  common.say_wrong(what)
  restart()
end

-- Where the server sends the browser is one of its own paths, whatever port it believes to be at.
function response(status, headers, body)
  steps = steps + 1
  if steps > 10 then return fail("a journey without an end") end
  local name, value = (headers["Set-Cookie"] or ""):match("^([^=]+)=([^;]*)")
  if name then cookies[name] = value end
  local location = headers["Location"]
  if status == 303 and location then
    local code = location:match("[?&]code=([%w_-]+)")
    if code then following = common.post(data.head, data.before .. code)
    elseif location:match("[?&]error=") then fail("an error was sent to the client")
    else following = (get(location:match("^https?://[^/]+(/.*)$") or location)) end
  elseif status == 200 and body:find('"access_token":"', 1, true) then
    table.insert(journeys, common.now() - begun)
    restart()
  elseif status == 200 and body:find('name="password"', 1, true) and steps < 4 then
    local _, cookie = get("")
    local action = body:match('<form[^>]*action="([^"]*)"'):gsub("^https?://[^/]+", "")
    following = common.post("POST " .. action .. " HTTP/1.1\r\nHost: " .. data.host .. "\r\n" .. cookie ..
      "Content-Type: application/x-www-form-urlencoded\r\n", filled(body))
  else
    fail("status " .. status .. " at step " .. steps)
  end
end
