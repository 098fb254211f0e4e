-- Sends each line of a file once, within a request that is the same around it: what a client has signed is good once.
local common = dofile(os.getenv("POSTERN_BENCH_LUA") .. "/common.lua")
local data = common.data

request = common.each_once(data.lines, function(line) return data.before .. line .. data.after end)
