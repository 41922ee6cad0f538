-- Shows jobs where they are.
--
-- KEYS  config bodies records ready returned suspects scheduled leases dead bell cancels cancelled
-- ARGV  what is looked at: 'get' and an id, or 'ready', 'scheduled' or 'leased' and how many
-- Answers with the time, and for each job its id, a letter for its place, a number (when it is due,
-- its lease runs out, or it died), its body, its record, and whether its end was asked for.
local config, bodies, records, ready, returned, suspects, scheduled, leases, dead, _, cancels,
  cancelled = unpack(KEYS)
local what, argument = ARGV[1], ARGV[2]
local seen = redis.call('HMGET', config, 't', 'o')
local now = clock(seen[1], seen[2])

local ids, letters, numbers = {}, {}, {}
local function show(id, letter, number)
  -- What somebody else put among the jobs is not shown.
  if #id ~= 16 and #id ~= 17 then return end
  ids[#ids + 1] = string.sub(id, 1, 16)
  letters[#letters + 1] = letter
  numbers[#numbers + 1] = tonumber(number) or 0
end

if what == 'get' then
  local id = argument
  local died, due = redis.call('ZSCORE', dead, id), nil
  due = redis.call('ZSCORE', scheduled, id) or redis.call('ZSCORE', scheduled, id .. '!')
  if died then
    show(id, 'D', died)
  elseif due then
    show(id, 'S', due)
  elseif redis.call('HEXISTS', bodies, id) == 1 then
    local deadline
    local held = redis.call('ZRANGE', leases, 0, -1, 'WITHSCORES')
    for n = 1, #held, 2 do
      if string.sub(held[n], 17) == id then deadline = held[n + 1] end
    end
    show(id, deadline and 'L' or 'R', deadline)
  end
elseif what == 'leased' or what == 'scheduled' then
  local from, letter = scheduled, 'S'
  if what == 'leased' then from, letter = leases, 'L' end
  local found = redis.call('ZRANGE', from, 0, tonumber(argument) - 1, 'WITHSCORES')
  for n = 1, #found, 2 do
    show(what == 'leased' and string.sub(found[n], 17) or found[n], letter, found[n + 1])
  end
else
  local limit = tonumber(argument)
  local back = {}
  for _, set in ipairs({ returned, suspects }) do
    local found = redis.call('ZRANGE', set, 0, limit - 1, 'WITHSCORES')
    for n = 1, #found, 2 do back[#back + 1] = { found[n], tonumber(found[n + 1]) } end
  end
  table.sort(back, function(one, other) return one[2] < other[2] end)
  for n = 1, math.min(limit, #back) do show(back[n][1], 'R') end
  for _, id in ipairs(redis.call('LRANGE', ready, 0, 2 * limit)) do
    if #ids < limit and redis.call('SISMEMBER', cancelled, string.sub(id, 1, 16)) == 0 then
      show(id, 'R')
    end
  end
end
if #ids == 0 then return { now, {}, '', {}, {}, {}, {} } end
return {
  now, ids, table.concat(letters), numbers,
  redis.call('HMGET', bodies, unpack(ids)),
  redis.call('HMGET', records, unpack(ids)),
  redis.call('SMISMEMBER', cancels, unpack(ids)),
}
