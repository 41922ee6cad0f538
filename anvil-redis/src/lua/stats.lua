-- Counts what the queue holds.
--
-- KEYS  config bodies ready returned suspects scheduled leases dead cancelled
-- Answers with the four counts, the time, when the oldest open job was accepted (0: there is
-- none), and the config.
local config, bodies, ready, returned, suspects, scheduled, leases, dead, cancelled =
  unpack(KEYS)
local LOOKED_AT = 256
local seen = redis.call('HMGET', config, 't', 'o')
local now = clock(seen[1], seen[2])
local oldest = math.huge
local function look(ids, from)
  for n = 1, #ids do ids[n] = string.sub(ids[n], from, from + 15) end
  if #ids == 0 then return end
  for _, body in ipairs(redis.call('HMGET', bodies, unpack(ids))) do
    if body and #body >= 8 then
      oldest = math.min(oldest, (struct.unpack('>I8', body)))
    end
  end
end
look(redis.call('LRANGE', ready, 0, LOOKED_AT - 1), 1)
look(redis.call('LRANGE', ready, -LOOKED_AT, -1), 1)
look(redis.call('ZRANGE', returned, 0, LOOKED_AT - 1), 1)
look(redis.call('ZRANGE', suspects, 0, LOOKED_AT - 1), 1)
look(redis.call('ZRANGE', scheduled, 0, LOOKED_AT - 1), 1)
look(redis.call('ZRANGE', leases, 0, LOOKED_AT - 1), 17)
return {
  redis.call('LLEN', ready) - redis.call('SCARD', cancelled) + redis.call('ZCARD', returned)
    + redis.call('ZCARD', suspects),
  redis.call('ZCARD', scheduled),
  redis.call('ZCARD', leases),
  redis.call('ZCARD', dead),
  now,
  oldest == math.huge and 0 or oldest,
  redis.call('HGETALL', config),
}
