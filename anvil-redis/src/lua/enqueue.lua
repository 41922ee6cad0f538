-- Claims keys and stores jobs, or answers with the job that holds the key.
--
-- KEYS  config bodies ready bell dead cancelled, three slots of key claims, three slots of id claims
--       where a job claims by its id, scheduled where one is delayed, then a staged and a final key
--       for each large job
-- ARGV  dedupe window, id window, partitions, capacity (0: none), a flag for each job, then column
--       by column: ids, digests (the first 6 bytes), digests (the other 8), bodies, and the delay of
--       each delayed job
-- Flags are '0' plus 1: claimed by its id, 2: delayed, 4: large. A body begins with the time at
-- which the caller guesses that it is stored.
-- Answers with a letter for each job, the ids that hold the duplicates' keys, and the time.
local call, argv = redis.call, ARGV
local config, bodies, ready, bell, dead, cancelled = unpack(KEYS, 1, 6)
local KEY_SLOTS = 7
local flags = argv[5]
local count = #flags
local plain = not string.find(flags, '[^0]')
local some_by_id = not plain and string.find(flags, '[1357]')
local some_delayed = not plain and string.find(flags, '[2367]')
local id_slots = some_by_id and 10
local next_key = some_by_id and 13 or 10
local scheduled = some_delayed and KEYS[next_key]
if scheduled then next_key = next_key + 1 end
local NEAR = 10000
local IDS, PREFIXES, RESTS, BODIES = 5, 5 + count, 5 + 2 * count, 5 + 3 * count
local next_delay = 6 + 4 * count

local seen
if some_by_id then
  seen = call('HMGET', config, 't', 'o', 'w', 'n', 'accepted', 'd0', 'd1', 'd2', 'i0', 'i1', 'i2')
else
  seen = call('HMGET', config, 't', 'o', 'w', 'n', 'accepted', 'd0', 'd1', 'd2')
end
if (seen[3] and seen[3] ~= argv[1]) or (seen[4] and seen[4] ~= argv[3]) then
  return { 'disagree', seen[3], seen[4] }
end
local now, offset, text = clock(seen[1], seen[2])

-- Who holds the digests, and the claims of the current slot that begin like them. The digest of a
-- key and that of an id never meet, so all are looked for among both kinds of claims.
local holders = {}
local function lookup(slots, epochs, window)
  local current = {}
  for back = 0, 2 do
    local slot, epoch = slot_of(now, window, back)
    if tonumber(seen[epochs + slot]) == epoch then
      local found = call('HMGET', KEYS[slots + slot], unpack(argv, PREFIXES + 1, PREFIXES + count))
      for n = 1, count do
        local claims = found[n]
        if claims then
          if back == 0 then current[argv[PREFIXES + n]] = claims end
          -- The newest claim counts: a forced replay claims a key that another job holds.
          holders[n] = holders[n] or holder_among(claims, argv[RESTS + n], now, window)
        end
      end
    end
  end
  return current
end
local key_window, id_window = tonumber(argv[1]), tonumber(argv[2])
local held_keys = lookup(KEY_SLOTS, 6, key_window)
local held_ids = some_by_id and lookup(id_slots, 9, id_window)
local stored = call('HMGET', bodies, unpack(argv, IDS + 1, IDS + count))

local capacity = tonumber(argv[4])
local room = capacity > 0 and capacity - call('HLEN', bodies) or math.huge
local line_holds = call('SCARD', cancelled) > 0
if scheduled then look('ZCARD', scheduled) end
local letters, others, renames, unlinks = {}, {}, {}, {}
-- Prefix and claims of each, by turns; `at` says where the claims of a prefix stand.
local key_claims, id_claims, batch_ids = { at = {} }, { at = {} }, {}
local new_bodies, new_ready, new_scheduled = {}, {}, {}
local accepted, duplicates, refused, readied = 0, 0, 0, 0
local earliest = math.huge
local claimed = struct.pack('>I6', math.floor(now / 1000))
-- A time put in front of a body makes a copy of it, of which Lua hashes every byte. So a guess
-- that is near stays.
local off = now - struct.unpack('>I8', argv[BODIES + 1])
local written = (off < 0 or off > NEAR) and struct.pack('>I8', now)
for n = 1, count do
  local id, prefix, rest = argv[IDS + n], argv[PREFIXES + n], argv[RESTS + n]
  local claims, delay, staged, final = key_claims, 0, nil, nil
  if not plain then
    local flag = string.byte(flags, n) - 48
    if flag % 2 == 1 then claims = id_claims end
    if flag % 4 >= 2 then
      delay = tonumber(argv[next_delay])
      next_delay = next_delay + 1
    end
    if flag >= 4 then
      staged, final = KEYS[next_key], KEYS[next_key + 1]
      next_key = next_key + 2
    end
  end
  local at = claims.at[prefix]
  local holder = holders[n] or at and holder_among(claims[at], rest, 0, 1)
  local letter = 'A'
  if holder and holder ~= id then
    duplicates = duplicates + 1
    letter = call('ZSCORE', dead, holder) and 'X' or 'D'
    others[duplicates] = holder
  elseif holder or stored[n] or batch_ids[id] then
    -- It is there already.
  elseif room <= 0 then
    refused = refused + 1
    letter = 'F'
  elseif staged and call('EXISTS', staged) == 0 then
    letter, staged = 'M', nil
  else
    room = room - 1
    batch_ids[id] = true
    local claim = id .. claimed .. rest
    if at then
      claims[at] = claims[at] .. claim
    else
      at = #claims + 2
      claims.at[prefix], claims[at - 1], claims[at] = at, prefix, claim
    end
    local body = argv[BODIES + n]
    new_bodies[2 * accepted + 1] = id
    new_bodies[2 * accepted + 2] = written and written .. string.sub(body, 9) or body
    accepted = accepted + 1
    if line_holds and call('SREM', cancelled, id) == 1 then
      -- It was cancelled long ago, and its id still stands in the line.
      call('LREM', ready, 1, id)
      call('LREM', ready, 1, id .. '!')
    end
    if delay > 0 then
      -- A microsecond apart, so that those of one call become due in their order.
      local due = now + delay + n - 1
      earliest = math.min(earliest, due)
      new_scheduled[#new_scheduled + 1] = due
      new_scheduled[#new_scheduled + 1] = id
    else
      readied = readied + 1
      new_ready[readied] = id
    end
    if staged then
      renames[#renames + 1] = staged
      renames[#renames + 1] = final
      staged = nil
    end
  end
  letters[n] = letter
  if staged then unlinks[#unlinks + 1] = staged end
end

-- From here on everything is written. The line comes first: it is the one key that was not looked
-- at, so that nothing is half done where it is of another type.
if readied > 0 then
  call('RPUSH', ready, unpack(new_ready))
  ring(bell)
end
local changes = { 't', text }
local function change(name, value)
  changes[#changes + 1] = name
  changes[#changes + 1] = value
end
if offset then change('o', offset) end

local function claim(slots, epochs, name, window, claims, current)
  if #claims == 0 then return end
  for prefix, older in pairs(current) do
    local at = claims.at[prefix]
    if at then claims[at] = older .. claims[at] end
  end
  local slot, epoch = slot_of(now, window, 0)
  if tonumber(seen[epochs + slot]) ~= epoch then
    call('UNLINK', KEYS[slots + slot])
    change(name .. slot, epoch)
  end
  call('HSET', KEYS[slots + slot], unpack(claims))
end
if accepted > 0 then
  if not seen[3] then
    change('w', argv[1])
    change('n', argv[3])
  end
  claim(KEY_SLOTS, 6, 'd', key_window, key_claims, held_keys)
  claim(id_slots, 9, 'i', id_window, id_claims, held_ids)
  call('HSET', bodies, unpack(new_bodies))
  for n = 1, #renames, 2 do
    call('RENAME', renames[n], renames[n + 1])
    call('PERSIST', renames[n + 1])
  end
  if #new_scheduled > 0 then
    local first = call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2]
    call('ZADD', scheduled, unpack(new_scheduled))
    if not first or earliest < tonumber(first) then ring(bell) end
  end
  change('accepted', string.format('%.0f', (tonumber(seen[5]) or 0) + accepted))
end
call('HSET', config, unpack(changes))
if #unlinks > 0 then call('UNLINK', unpack(unlinks)) end
if duplicates > 0 then call('HINCRBY', config, 'duplicates', duplicates) end
if refused > 0 then call('HINCRBY', config, 'refused', refused) end
return { table.concat(letters), table.concat(others), now }
