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
local now, offset = clock(seen[1], seen[2])
local epoch = math.floor(now / (window / 2))

local function holder_of(digest)
  for back = 0, 2 do
    local slot = (epoch - back) % 3
    if tonumber(seen[5 + slot]) == epoch - back then
      local claim = redis.call('HGET', KEYS[7 + slot], digest)
      if claim and #claim == 24 and now < struct.unpack('>I8', claim, 17) + window then
        return string.sub(claim, 1, 16)
      end
    end
  end
end

local function claim(digest, id)
  local slot = epoch % 3
  if tonumber(seen[5 + slot]) ~= epoch then
    redis.call('UNLINK', KEYS[7 + slot])
    redis.call('HSET', config, 'd' .. slot, epoch)
    seen[5 + slot] = epoch
  end
  redis.call('HSET', KEYS[7 + slot], digest, id .. struct.pack('>I8', now))
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
    local digest = flag % 2 == 1 and string.sub(body, from, from + 13) or nil
    local holder = digest and holder_of(digest)
    if holder and holder ~= id and not forced then
      letter = 'S'
      others[#others + 1] = holder
    else
      letter = 'R'
      replayed = replayed + 1
      redis.call('ZREM', dead, id)
      if digest then claim(digest, id) end
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
  stamp(config, now, offset)
  ring(bell)
end
return { table.concat(letters), table.concat(others) }
