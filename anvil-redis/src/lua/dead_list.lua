-- One page of the dead letters, oldest death first.
--
-- KEYS  config bodies records dead
-- ARGV  only after this position, up to this one, how many
-- Answers with the time, the newest position, ids, positions, bodies and records; one id more than
-- asked for says that there are more.
local config, bodies, records, dead = unpack(KEYS)
local seen = redis.call('HMGET', config, 't', 'o')
local now = clock(seen[1], seen[2])
local limit = tonumber(ARGV[3])
local found = redis.call('ZRANGEBYSCORE', dead, ARGV[1], ARGV[2], 'WITHSCORES', 'LIMIT', 0,
  limit + 1)
local ids, positions = {}, {}
for n = 1, #found, 2 do
  ids[#ids + 1] = found[n]
  positions[#positions + 1] = tonumber(found[n + 1])
end
local newest = tonumber(redis.call('ZRANGE', dead, -1, -1, 'WITHSCORES')[2]) or 0
if #ids == 0 then return { now, newest, {}, {}, {}, {} } end
return {
  now, newest, ids, positions,
  redis.call('HMGET', bodies, unpack(ids, 1, math.min(#ids, limit))),
  redis.call('HMGET', records, unpack(ids, 1, math.min(#ids, limit))),
}
