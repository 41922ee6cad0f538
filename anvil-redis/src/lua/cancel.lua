-- Cancels jobs: removes what waits, asks for the end of what runs.
--
-- KEYS  config bodies records ready returned suspects scheduled leases dead bell cancels cancelled,
--       then the key of the payload each job would have were it large
-- ARGV  ids
-- Answers for each with 'R' (removed), 'Q' (asked to end), 'D' (dead) or 'N' (not there).
local config, bodies, records, _, returned, suspects, scheduled, leases, dead, _, cancels,
  cancelled = unpack(KEYS, 1, 12)

-- Looks through the leases in flight, once a call and only where it has to.
local leased
local function is_leased(id)
  if not leased then
    leased = {}
    for _, member in ipairs(redis.call('ZRANGE', leases, 0, -1)) do
      leased[string.sub(member, 17)] = true
    end
  end
  return leased[id]
end

look('HLEN', config, records)
look('ZCARD', returned, suspects, leases)
look('SCARD', cancels, cancelled)
local answers, removed = {}, 0
for n = 1, #ARGV do
  local id = ARGV[n]
  if redis.call('HEXISTS', bodies, id) == 0 then
    answers[n] = 'N'
  elseif redis.call('ZSCORE', dead, id) then
    answers[n] = 'D'
  else
    local waits = redis.call('ZREM', scheduled, id, id .. '!') + redis.call('ZREM', returned, id)
      + redis.call('ZREM', suspects, id)
    if waits == 0 and is_leased(id) then
      redis.call('SADD', cancels, id)
      answers[n] = 'Q'
    else
      -- A job in the line is found at its end only; there it is dropped without a word.
      if waits == 0 then redis.call('SADD', cancelled, id) end
      redis.call('HDEL', bodies, id)
      redis.call('HDEL', records, id)
      redis.call('UNLINK', KEYS[12 + n])
      removed = removed + 1
      answers[n] = 'R'
    end
  end
end
if removed > 0 then redis.call('HINCRBY', config, 'cancelled', removed) end
return table.concat(answers)
