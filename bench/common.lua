-- What every script of the load shares: what it was given, and what is said at the end (one line of JSON for load.mjs).
-- The file named by POSTERN_BENCH_DATA holds secrets; that is why it is a file.
local ffi = require("ffi")
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } bench_time;
  int clock_gettime(int clock, bench_time *time);
]]
local time = ffi.new("bench_time")

local threads = {}
-- Of a thread, to be read at the end: answers that were not what they should be, the first of them, and microseconds of each journey.
wrong, first_wrong, journeys = 0, "", {}

function setup(thread) table.insert(threads, thread) end

local function quoted(text) return '"' .. text:gsub('[%c"\\]', " ") .. '"' end

function done(summary, latency)
  local bad, first, times = 0, "", {}
  for _, thread in ipairs(threads) do
    bad = bad + thread:get("wrong")
    if first == "" then first = thread:get("first_wrong") end
    for _, one in ipairs(thread:get("journeys")) do table.insert(times, one) end
  end
  table.sort(times)
  local function at(part) return times[math.max(1, math.ceil(#times * part))] or 0 end
  local errors = summary.errors
  io.write(string.format('\n@{"requests":%d,"microseconds":%d,"bytes":%d,"p50":%d,"p99":%d,"longest":%d,"journeys":%d,"journeyP50":%d,"journeyP99":%d,' ..
    '"errors":{"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d,"wrong":%d},"firstWrong":%s}\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99), latency.max, #times, at(0.5), at(0.99),
    errors.connect, errors.read, errors.write, errors.timeout, errors.status, bad, quoted(first)))
end

local common = { data = dofile(os.getenv("POSTERN_BENCH_DATA")) }

function common.now()
  ffi.C.clock_gettime(1, time)
  return tonumber(time.seconds) * 1000000 + tonumber(time.nanoseconds) / 1000
end

function common.say_wrong(what)
  wrong = wrong + 1
  if first_wrong == "" then first_wrong = what end
end

function common.post(head, body) return head .. "Content-Length: " .. #body .. "\r\n\r\n" .. body end

-- Makes a request of each line of a file, once. When most are gone "low" is said: time to stop.
function common.each_once(file, request_of)
  local lines, at = {}, 0
  for line in io.lines(file) do table.insert(lines, line) end
  local low = math.ceil(#lines * 0.75)
  return function()
    at = at + 1
    if at == low then io.stderr:write("low\n") end
    if at > #lines then return "" end  -- the connection waits for the end
    return request_of(lines[at])
  end
end

return common
