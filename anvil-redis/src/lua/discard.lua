-- Throws dead jobs away; their claims stay.
--
-- KEYS  config bodies records dead, then the key of the body each job would have were it large
-- ARGV  ids
-- Answers with '1' (was dead) or '0' for each.
local config, bodies, records, dead = unpack(KEYS, 1, 4)
look('HLEN', config, bodies, records)
local answers, discarded = {}, 0
for n = 1, #ARGV do
  local removed = redis.call('ZREM', dead, ARGV[n])
  answers[n] = tostring(removed)
  if removed == 1 then
    discarded = discarded + 1
    redis.call('HDEL', bodies, ARGV[n])
    redis.call('HDEL', records, ARGV[n])
    redis.call('UNLINK', KEYS[4 + n])
  end
end
if discarded > 0 then redis.call('HINCRBY', config, 'discarded', discarded) end
return table.concat(answers)
