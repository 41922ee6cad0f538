-- Looks whether jobs are in exactly one place and have a body, and mends what is not so.
--
-- KEYS  config bodies records ready returned suspects scheduled leases dead bell cancels cancelled
-- ARGV  whether it mends (1 or 0), then the ids
-- Answers with a letter for each id: '.' (in order, or not there at all), 'B' (a place without a
-- body), 'P' (a body without a place), 'T' (in more than one place).
--
-- A body without a place is made ready. A place without a body becomes a dead letter that says so.
-- Of several places the one furthest in the job's life is kept: a lease, then death, then a delay.
local config, bodies, records, ready, returned, suspects, scheduled, leases, dead, bell, _, cancelled =
  unpack(KEYS)
local mends = ARGV[1] == '1'
local MISSING = 5
local seen = redis.call('HMGET', config, 't', 'o')
local now, offset, text = clock(seen[1], seen[2])

local held = {}
for _, member in ipairs(redis.call('ZRANGE', leases, 0, -1)) do
  local id = string.sub(member, 17)
  held[id] = held[id] or {}
  table.insert(held[id], member)
end

local function remove_from_line(id, keep)
  for _, element in ipairs({ id, id .. '!' }) do
    local found = #redis.call('LPOS', ready, element, 'COUNT', 0)
    if found > keep then redis.call('LREM', ready, keep - found, element) end
  end
end

local answers = {}
for n = 2, #ARGV do
  local id = ARGV[n]
  local body = redis.call('HEXISTS', bodies, id) == 1
  local gone = redis.call('SISMEMBER', cancelled, id) == 1
  local in_leases = held[id] and #held[id] or 0
  local in_dead = redis.call('ZSCORE', dead, id) and 1 or 0
  local in_scheduled = (redis.call('ZSCORE', scheduled, id) and 1 or 0)
    + (redis.call('ZSCORE', scheduled, id .. '!') and 1 or 0)
  local in_back = (redis.call('ZSCORE', returned, id) and 1 or 0)
    + (redis.call('ZSCORE', suspects, id) and 1 or 0)
  local in_line = 0
  if not gone then
    in_line = #redis.call('LPOS', ready, id, 'COUNT', 0) + #redis.call('LPOS', ready, id .. '!', 'COUNT', 0)
  end
  local places = in_leases + in_dead + in_scheduled + in_back + in_line
  local letter = '.'
  if not body and places > in_dead then
    letter = 'B'
  elseif body and places == 0 then
    letter = 'P'
  elseif places > 1 then
    letter = 'T'
  end
  answers[#answers + 1] = letter
  if mends and letter ~= '.' then
    local record = read_record(redis.call('HGET', records, id))
    if letter == 'P' then
      redis.call('RPUSH', ready, marked(id, record))
      ring(bell)
    else
      local keep_lease = letter == 'T' and in_leases > 0
      local keep_dead = not keep_lease and in_dead > 0
      local keep_scheduled = letter == 'T' and not keep_lease and not keep_dead and in_scheduled > 0
      local keep_back = letter == 'T' and not keep_lease and not keep_dead and not keep_scheduled
        and in_back > 0
      local keep_line = letter == 'T' and not keep_lease and not keep_dead and not keep_scheduled
        and not keep_back
      for at = keep_lease and 2 or 1, in_leases do redis.call('ZREM', leases, held[id][at]) end
      if not keep_dead then redis.call('ZREM', dead, id) end
      if in_scheduled > (keep_scheduled and 1 or 0) then
        redis.call('ZREM', scheduled, id)
        if not keep_scheduled then redis.call('ZREM', scheduled, id .. '!') end
      end
      if not keep_back then redis.call('ZREM', returned, id) end
      if not keep_back or in_back > 1 then redis.call('ZREM', suspects, id) end
      if in_line > 0 then remove_from_line(id, keep_line and 1 or 0) end
      if letter == 'B' and not keep_dead then
        bury(config, records, dead, id, record, MISSING, now)
      end
    end
    stamp(config, text, offset)
  end
end
return table.concat(answers)
