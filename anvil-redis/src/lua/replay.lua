-- Sends dead jobs back to the tail of ready.
--
-- KEYS  config bodies records ready dead bell, three slots of key claims
-- ARGV  dedupe window, partitions, whether it is forced (1 or 0), up to this position ('+inf': all),
--       then the ids
-- Answers with a letter for each id and the ids that hold the keys of superseded ones.
local config, bodies, records, ready, dead, bell = unpack(KEYS, 1, 6)
local window, forced = tonumber(ARGV[1]), ARGV[3] == '1'
local up_to = ARGV[4] == '+inf' and math.huge or tonumber(ARGV[4])
local seen = redis.call('HMGET', config, 't', 'o', 'w', 'n', 'd0', 'd1', 'd2')
if (seen[3] and seen[3] ~= ARGV[1]) or (seen[4] and seen[4] ~= ARGV[2]) then
  return { 'disagree', seen[3], seen[4] }
end
local now, offset, text = clock(seen[1], seen[2])

local function holder_of(prefix, rest)
  for back = 0, 2 do
    local slot, epoch = slot_of(now, window, back)
    if tonumber(seen[5 + slot]) == epoch then
      local claims = redis.call('HGET', KEYS[7 + slot], prefix)
      local holder = claims and holder_among(claims, rest, now, window)
      if holder then return holder end
    end
  end
end

-- Gives a digest to a job, whoever held it in this slot.
local function claim(prefix, rest, id)
  local slot, epoch = slot_of(now, window, 0)
  if tonumber(seen[5 + slot]) ~= epoch then
    redis.call('UNLINK', KEYS[7 + slot])
    redis.call('HSET', config, 'd' .. slot, epoch)
    seen[5 + slot] = epoch
  end
  local claims, kept = redis.call('HGET', KEYS[7 + slot], prefix) or '', ''
  for at = 1, #claims - CLAIM + 1, CLAIM do
    if string.sub(claims, at + 22, at + 29) ~= rest then
      kept = kept .. string.sub(claims, at, at + 29)
    end
  end
  redis.call('HSET', KEYS[7 + slot], prefix, kept .. claim_of(id, now, rest))
end

look('HLEN', bodies, records, KEYS[7], KEYS[8], KEYS[9])
look('LLEN', ready)
local letters, others, replayed = {}, {}, 0
for n = 5, #ARGV do
  local id = ARGV[n]
  local position = tonumber(redis.call('ZSCORE', dead, id))
  local letter = 'N'
  if position and position <= up_to then
    local body = redis.call('HGET', bodies, id) or ''
    -- Byte 9 of a body is its flags (1: has a key, 2: large, four bytes of weight come first).
    local flag = string.byte(body, 9) or 0
    local from = flag % 4 >= 2 and 14 or 10
    local prefix, rest
    if flag % 2 == 1 then
      prefix, rest = string.sub(body, from, from + 5), string.sub(body, from + 6, from + 13)
    end
    local holder = prefix and holder_of(prefix, rest)
    if holder and holder ~= id and not forced then
      letter = 'S'
      others[#others + 1] = holder
    else
      letter = 'R'
      replayed = replayed + 1
      redis.call('ZREM', dead, id)
      if prefix then claim(prefix, rest, id) end
      local record = read_record(redis.call('HGET', records, id))
      record[ATTEMPTS], record[REASON], record[FIRST], record[LAST] = 0, 0, '', ''
      record[REPLAYS] = record[REPLAYS] + 1
      redis.call('HSET', records, id, write_record(record))
      redis.call('RPUSH', ready, marked(id, record))
    end
  end
  letters[#letters + 1] = letter
end
if replayed > 0 then
  redis.call('HINCRBY', config, 'replayed', replayed)
  stamp(config, text, offset)
  ring(bell)
end
return { table.concat(letters), table.concat(others) }
