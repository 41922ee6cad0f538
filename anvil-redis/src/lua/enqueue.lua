-- Claims keys and stores jobs, or answers with the job that holds the key.
--
-- KEYS  config bodies ready scheduled bell dead cancelled, three slots of key claims, three slots of
--       id claims, then a staged and a final key for each large job
-- ARGV  dedupe window, id window, partitions, capacity (0: none), a flag for each job, then id,
--       digest (6 bytes and the other 8) and body of each job, then the delay of each delayed one
-- Flags are '0' plus 1: claimed by its id, 2: delayed, 4: large.
-- Answers with a letter for each job and the ids that hold the duplicates' keys.
local config, bodies, ready, scheduled, bell, dead, cancelled =
  unpack(KEYS, 1, 7)
local flags = ARGV[5]
local count = #flags

local seen = redis.call('HMGET', config, 't', 'o', 'w', 'n', 'd0', 'd1', 'd2', 'i0', 'i1', 'i2')
if (seen[3] and seen[3] ~= ARGV[1]) or (seen[4] and seen[4] ~= ARGV[3]) then
  return { 'disagree', seen[3], seen[4] }
end
local now, offset = clock(seen[1], seen[2])

-- The jobs that claim by key and those that claim by id.
local ids, by_key, by_id = {}, {}, {}
local delayed = false
local plain = not string.find(flags, '[^0]')
for n = 1, count do
  ids[n] = ARGV[4 * n + 2]
  local flag = plain and 0 or string.byte(flags, n) - 48
  local indexes = flag % 2 == 0 and by_key or by_id
  indexes[#indexes + 1] = n
  delayed = delayed or flag % 4 >= 2
end

-- Who holds the digests of these jobs, and the claims of the current slot that begin like theirs.
local holders = {}
local function lookup(slots, epochs, window, indexes)
  local current = {}
  if #indexes == 0 then return current end
  local prefixes = {}
  for n, index in ipairs(indexes) do prefixes[n] = ARGV[4 * index + 3] end
  for back = 0, 2 do
    local slot, epoch = slot_of(now, window, back)
    if tonumber(seen[epochs + slot]) == epoch then
      local found = redis.call('HMGET', KEYS[slots + slot], unpack(prefixes))
      for n, index in ipairs(indexes) do
        local claims = found[n]
        if claims then
          if back == 0 then current[prefixes[n]] = claims end
          -- The newest claim counts: a forced replay claims a key that another job holds.
          holders[index] = holders[index] or holder_among(claims, ARGV[4 * index + 4], now, window)
        end
      end
    end
  end
  return current
end
local key_window, id_window = tonumber(ARGV[1]), tonumber(ARGV[2])
local held_keys = lookup(8, 5, key_window, by_key)
local held_ids = lookup(11, 8, id_window, by_id)
local stored = redis.call('HMGET', bodies, unpack(ids))

local capacity = tonumber(ARGV[4])
local room = capacity > 0 and capacity - redis.call('HLEN', bodies) or math.huge
local letters, others = {}, {}
local key_claims, id_claims, new_bodies, new_ready, new_scheduled, renames, unlinks =
  {}, {}, {}, {}, {}, {}, {}
local batch_ids = {}
local accepted, duplicates, refused = 0, 0, 0
local line_holds = redis.call('SCARD', cancelled) > 0
look('LLEN', ready)
if delayed then look('ZCARD', scheduled) end
local earliest = math.huge
local written = struct.pack('>I8', now)
local claimed = struct.pack('>I6', math.floor(now / 1000))
local next_delay, next_large = 4 * count + 6, 14
for n = 1, count do
  local at = 4 * n + 2
  local id, prefix, rest = ids[n], ARGV[at + 1], ARGV[at + 2]
  local flag = plain and 0 or string.byte(flags, n) - 48
  local claims = flag % 2 == 0 and key_claims or id_claims
  local delay, staged, final = 0, nil, nil
  if flag % 4 >= 2 then
    delay = tonumber(ARGV[next_delay])
    next_delay = next_delay + 1
  end
  if flag >= 4 then
    staged, final = KEYS[next_large], KEYS[next_large + 1]
    next_large = next_large + 2
  end
  local holder = holders[n] or claims[prefix] and holder_among(claims[prefix], rest, 0, 1)
  if holder and holder ~= id then
    duplicates = duplicates + 1
    letters[n] = redis.call('ZSCORE', dead, holder) and 'X' or 'D'
    others[#others + 1] = holder
    unlinks[#unlinks + 1] = staged
  elseif holder or stored[n] or batch_ids[id] then
    letters[n] = 'A'
    unlinks[#unlinks + 1] = staged
  elseif room <= 0 then
    refused = refused + 1
    letters[n] = 'F'
    unlinks[#unlinks + 1] = staged
  elseif staged and redis.call('EXISTS', staged) == 0 then
    letters[n] = 'M'
  else
    room = room - 1
    accepted = accepted + 1
    letters[n] = 'A'
    batch_ids[id] = true
    claims[prefix] = (claims[prefix] or '') .. id .. claimed .. rest
    new_bodies[#new_bodies + 1] = id
    new_bodies[#new_bodies + 1] = written .. ARGV[at + 3]
    if line_holds and redis.call('SREM', cancelled, id) == 1 then
      -- It was cancelled long ago, and its id still stands in the line.
      redis.call('LREM', ready, 1, id)
      redis.call('LREM', ready, 1, id .. '!')
    end
    if delay > 0 then
      -- A microsecond apart, so that those of one call become due in their order.
      local due = now + delay + n - 1
      earliest = math.min(earliest, due)
      new_scheduled[#new_scheduled + 1] = due
      new_scheduled[#new_scheduled + 1] = id
    else
      new_ready[#new_ready + 1] = id
    end
    if staged then
      renames[#renames + 1] = staged
      renames[#renames + 1] = final
    end
  end
end

-- From here on everything is written, and nothing can fail.
local function claim(slots, epochs, name, window, claims, current)
  local written_out = {}
  for prefix, new in pairs(claims) do
    written_out[#written_out + 1] = prefix
    written_out[#written_out + 1] = current[prefix] and current[prefix] .. new or new
  end
  if #written_out == 0 then return end
  local slot, epoch = slot_of(now, window, 0)
  if tonumber(seen[epochs + slot]) ~= epoch then
    redis.call('UNLINK', KEYS[slots + slot])
    redis.call('HSET', config, name .. slot, epoch)
  end
  redis.call('HSET', KEYS[slots + slot], unpack(written_out))
end
stamp(config, now, offset)
if accepted > 0 then
  if not seen[3] then redis.call('HSET', config, 'w', ARGV[1], 'n', ARGV[3]) end
  claim(8, 5, 'd', key_window, key_claims, held_keys)
  claim(11, 8, 'i', id_window, id_claims, held_ids)
  redis.call('HSET', bodies, unpack(new_bodies))
  for n = 1, #renames, 2 do
    redis.call('RENAME', renames[n], renames[n + 1])
    redis.call('PERSIST', renames[n + 1])
  end
  if #new_ready > 0 then
    redis.call('RPUSH', ready, unpack(new_ready))
    ring(bell)
  end
  if #new_scheduled > 0 then
    local first = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2]
    redis.call('ZADD', scheduled, unpack(new_scheduled))
    if not first or earliest < tonumber(first) then ring(bell) end
  end
  redis.call('HINCRBY', config, 'accepted', accepted)
end
if #unlinks > 0 then redis.call('UNLINK', unpack(unlinks)) end
if duplicates > 0 then redis.call('HINCRBY', config, 'duplicates', duplicates) end
if refused > 0 then redis.call('HINCRBY', config, 'refused', refused) end
return { table.concat(letters), table.concat(others) }
