-- Claims keys and stores jobs, or answers with the job that holds the key.
--
-- KEYS  config bodies ready scheduled bell dead cancelled, three slots of key claims, three slots of
--       id claims, then a staged and a final key for each large job
-- ARGV  dedupe window, id window, partitions, capacity (0: none), a flag for each job, then id,
--       digest and body of each job, then the delay of each delayed one
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

-- Claims are kept in three slots that are each half a window wide, so that those that have run out
-- can be dropped together. What a claim itself says decides whether it still holds.
local function lookup(slots, epochs, window, digests, indexes, holders)
  local epoch = math.floor(now / (window / 2))
  -- The newest claim counts: a forced replay claims a key that another job holds.
  for back = 2, 0, -1 do
    local slot = (epoch - back) % 3
    if tonumber(seen[epochs + slot]) == epoch - back then
      local found = redis.call('HMGET', KEYS[slots + slot], unpack(digests))
      for n = 1, #digests do
        local claim = found[n]
        if claim and #claim == 24 and now < struct.unpack('>I8', claim, 17) + window then
          holders[indexes[n]] = string.sub(claim, 1, 16)
        end
      end
    end
  end
end

local ids, by_key, by_id, key_index, id_index = {}, {}, {}, {}, {}
local delayed = false
local large = 0
for n = 1, count do
  local at = 3 * n + 3
  ids[n] = ARGV[at]
  local flag = string.byte(flags, n) - 48
  if flag == 0 then
    by_key[#by_key + 1] = ARGV[at + 1]
    key_index[#by_key] = n
  else
    if flag % 2 == 0 then
      by_key[#by_key + 1] = ARGV[at + 1]
      key_index[#by_key] = n
    else
      by_id[#by_id + 1] = ARGV[at + 1]
      id_index[#by_id] = n
    end
    delayed = delayed or flag % 4 >= 2
  end
end
local holders = {}
if #by_key > 0 then lookup(8, 5, tonumber(ARGV[1]), by_key, key_index, holders) end
if #by_id > 0 then lookup(11, 8, tonumber(ARGV[2]), by_id, id_index, holders) end
local stored = redis.call('HMGET', bodies, unpack(ids))

local capacity = tonumber(ARGV[4])
local room = capacity > 0 and capacity - redis.call('HLEN', bodies) or math.huge
local letters, others = {}, {}
local key_claims, id_claims, new_bodies, new_ready, new_scheduled, renames, unlinks =
  {}, {}, {}, {}, {}, {}, {}
local batch_claims, batch_ids = {}, {}
local accepted, duplicates, refused = 0, 0, 0
local line_holds = redis.call('SCARD', cancelled) > 0
look('LLEN', ready)
if delayed then look('ZCARD', scheduled) end
local earliest = math.huge
local written = struct.pack('>I8', now)
local next_delay, next_large = 3 * count + 6, 14
for n = 1, count do
  local at = 3 * n + 3
  local id, digest = ids[n], ARGV[at + 1]
  local flag = string.byte(flags, n) - 48
  local delay, staged, final = 0, nil, nil
  if flag % 4 >= 2 then
    delay = tonumber(ARGV[next_delay])
    next_delay = next_delay + 1
  end
  if flag >= 4 then
    staged, final = KEYS[next_large], KEYS[next_large + 1]
    next_large = next_large + 2
  end
  local holder = holders[n] or batch_claims[digest]
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
    batch_claims[digest] = id
    batch_ids[id] = true
    local claims = flag % 2 == 0 and key_claims or id_claims
    claims[#claims + 1] = digest
    claims[#claims + 1] = id .. written
    new_bodies[#new_bodies + 1] = id
    new_bodies[#new_bodies + 1] = written .. ARGV[at + 2]
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
local function claim(slots, epochs, name, window, claims)
  local epoch = math.floor(now / (window / 2))
  local slot = epoch % 3
  if tonumber(seen[epochs + slot]) ~= epoch then
    redis.call('UNLINK', KEYS[slots + slot])
    redis.call('HSET', config, name .. slot, epoch)
  end
  redis.call('HSET', KEYS[slots + slot], unpack(claims))
end
stamp(config, now, offset)
if accepted > 0 then
  if not seen[3] then redis.call('HSET', config, 'w', ARGV[1], 'n', ARGV[3]) end
  if #key_claims > 0 then claim(8, 5, 'd', tonumber(ARGV[1]), key_claims) end
  if #id_claims > 0 then claim(11, 8, 'i', tonumber(ARGV[2]), id_claims) end
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
