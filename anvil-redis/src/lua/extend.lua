-- Lets leases run from now on, never shorter than they would have.
--
-- KEYS  config leases cancels
-- ARGV  lease, then the leases (token and id)
-- Answers with '1' (held), 'c' (held, and somebody asked that the run end) or '0' (lost) for each.
local config, leases, cancels = unpack(KEYS)
local seen = redis.call('HMGET', config, 't', 'o')
local now = clock(seen[1], seen[2])
local deadline = string.format('%.0f', now + tonumber(ARGV[1]))
local held = redis.call('ZMSCORE', leases, unpack(ARGV, 2))
local answers, later, ids = {}, {}, {}
for n = 1, #held do
  ids[n] = string.sub(ARGV[n + 1], 17)
  answers[n] = held[n] and '1' or '0'
  if held[n] then
    later[#later + 1] = deadline
    later[#later + 1] = ARGV[n + 1]
  end
end
if #later > 0 then
  redis.call('ZADD', leases, 'XX', 'GT', unpack(later))
  if redis.call('EXISTS', cancels) == 1 then
    local asked = redis.call('SMISMEMBER', cancels, unpack(ids))
    for n = 1, #ids do
      if asked[n] == 1 and answers[n] == '1' then answers[n] = 'c' end
    end
  end
end
return table.concat(answers)
