-- Says when there is something to reserve: microseconds from now, 0 for at once, -1 for unknown.
--
-- KEYS  config ready returned suspects scheduled leases
local config, ready, returned, suspects, scheduled, leases = unpack(KEYS)
if redis.call('EXISTS', ready, returned, suspects) > 0 then return 0 end
local seen = redis.call('HMGET', config, 't', 'o')
local now = clock(seen[1], seen[2])
local due = tonumber(redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2])
local deadline = tonumber(redis.call('ZRANGE', leases, 0, 0, 'WITHSCORES')[2])
local next_work = math.min(due or math.huge, deadline or math.huge)
if next_work == math.huge then return -1 end
return math.max(0, next_work - now)
