-- Spends codes that were prepared, each once.
local common = dofile(os.getenv("POSTERN_BENCH_LUA") .. "/common.lua")
local data = common.data

request = common.each_once(data.codes, function(code) return common.post(data.head, data.before .. code) end)
