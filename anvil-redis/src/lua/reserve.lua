-- Moves what is due to ready, takes back expired leases, and leases ready jobs.
--
-- KEYS  config bodies records ready returned suspects scheduled leases dead bell cancels cancelled
-- ARGV  most jobs, most bytes, lease, crash budget, whether suspects are taken (1 or 0), the ends
--       of the tokens of small and of large jobs
-- Answers with the time, the leases (token and id), the bodies, the records, and the ids of large
-- jobs that are gone because they were cancelled: their payloads are for the caller to remove.
local config, bodies, records, ready, returned, suspects, scheduled, leases, dead, bell,
  cancels, cancelled = unpack(KEYS)
local most, bytes_left, lease, budget = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]),
  tonumber(ARGV[4])
local suspects_taken = ARGV[5] == '1'
local MOVED, POISON, MISSING = 128, 3, 5

local seen = redis.call('HMGET', config, 't', 'o', 'p')
local now, offset, text = clock(seen[1], seen[2])

-- What somebody else put among the jobs is passed over: members of another length.
local function ours(members, length)
  local kept = {}
  for _, member in ipairs(members) do
    if #member == length then kept[#kept + 1] = member end
  end
  return kept
end

local orphans = {}
local late = redis.call('ZRANGEBYSCORE', leases, '-inf', now, 'LIMIT', 0, MOVED)
local due = redis.call('ZRANGEBYSCORE', scheduled, '-inf', now, 'LIMIT', 0, MOVED)
look('HLEN', bodies)
look('ZCARD', dead)
local some_records = redis.call('HLEN', records) > 0
local some_ready = redis.call('LLEN', ready) > 0 or #due > 0
local some_returned = redis.call('ZCARD', returned) > 0
local some_suspects = redis.call('ZCARD', suspects) > 0
local some_cancelled = redis.call('SCARD', cancelled) > 0
if #late > 0 then
  look('SCARD', cancels)
  redis.call('ZREM', leases, unpack(late))
  late = ours(late, 32)
  local asked = redis.call('EXISTS', cancels) == 1
  for _, member in ipairs(late) do
    local id = string.sub(member, 17)
    local record = read_record(redis.call('HGET', records, id))
    record[RECLAIMS] = record[RECLAIMS] + 1
    if record[RECLAIMS] > budget then
      bury(config, records, dead, id, record, POISON, now)
      if asked then redis.call('SREM', cancels, id) end
    elseif asked and redis.call('SREM', cancels, id) == 1 then
      forget(config, bodies, records, id)
      if string.byte(member, 9) >= 128 then orphans[#orphans + 1] = id end
    else
      redis.call('HSET', records, id, write_record(record))
      redis.call('ZADD', suspects, struct.unpack('>I8', member), id)
      some_records, some_suspects = true, true
    end
  end
  redis.call('HINCRBY', config, 'reclaimed', #late)
end

if #due > 0 then
  redis.call('ZREM', scheduled, unpack(due))
  redis.call('RPUSH', ready, unpack(due))
end
if most == 0 then
  return { now, {}, {}, {}, orphans }
end

-- The next of the line, but for those that were cancelled there.
local function pop(count)
  if not some_ready then return {} end
  local line = redis.call('LPOP', ready, count) or {}
  if not some_cancelled then return line end
  local kept, looked_at = {}, 0
  while true do
    for _, id in ipairs(line) do
      if redis.call('SREM', cancelled, string.sub(id, 1, 16)) == 0 then kept[#kept + 1] = id end
    end
    looked_at = looked_at + #line
    if #line == 0 or #kept == count or looked_at >= MOVED then return kept end
    line = redis.call('LPOP', ready, count - #kept) or {}
  end
end

local function first_of(set)
  local first = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')
  return first[1], tonumber(first[2])
end

-- The order of ready jobs: whatever was leased before and came back keeps its place, and all such
-- places are before those of jobs that were never leased. Suspects are taken alone.
local ids, places = {}, {}
local alone = false
-- Suspects met in the line and not taken: how many jobs are in front, element, place.
local aside = {}
if suspects_taken and some_suspects then
  local id, place = first_of(suspects)
  local _, other = first_of(returned)
  if id and (not other or place < other) then
    redis.call('ZREM', suspects, id)
    ids[1], places[1], alone = id, place, true
  end
end
local fresh_from = 1
local call = (tonumber(seen[3]) or 0) + 1
local base = call * 256
if not alone then
  local back = some_returned and redis.call('ZPOPMIN', returned, most) or {}
  for n = 1, #back, 2 do
    ids[#ids + 1] = back[n]
    places[#places + 1] = tonumber(back[n + 1])
  end
  fresh_from = #ids + 1
  local fresh = #ids < most and pop(most - #ids) or {}
  for n = 1, #fresh do
    local id = fresh[n]
    if #id ~= 17 then
      ids[#ids + 1] = id
      places[#places + 1] = base + n - 1
    elseif not suspects_taken then
      aside[#aside + 1] = { #ids, id, base + n - 1 }
    else
      -- A suspect in front is taken alone; one further back waits until it is in front.
      local from = n
      if #ids == 0 then
        ids[1], places[1], alone = string.sub(id, 1, 16), base + n - 1, true
        from = n + 1
      end
      for rest = #fresh, from, -1 do redis.call('LPUSH', ready, fresh[rest]) end
      break
    end
  end
end

-- Byte 9 of a body is its flags (1: has a key of 32 bytes, 2: large, its weight follows). The
-- other fields cost 13 bytes, where the weight of a job counts 128.
local function weight(body)
  local flag = string.byte(body, 9) or 0
  if flag % 4 >= 2 and #body >= 13 then return (struct.unpack('>I4', body, 10)) end
  return #body + (flag % 2 == 1 and 83 or 115)
end

local members, answers, deadlines = {}, {}, {}
if #ids > 0 then
  local found = redis.call('HMGET', bodies, unpack(ids))
  -- Written out once: a number costs more to write than everything else about a job.
  local deadline = string.format('%.0f', now + lease)
  for n = 1, #ids do
    local id, place, body = ids[n], places[n], found[n]
    if #id ~= 16 then
      -- It is no job, and was put there by somebody else.
    elseif not body then
      bury(config, records, dead, id, read_record(redis.call('HGET', records, id)), MISSING, now)
    else
      local heavy = weight(body)
      if heavy > bytes_left and #members > 0 then
        for rest = #ids, math.max(n, fresh_from), -1 do
          while #aside > 0 and aside[#aside][1] >= rest do
            redis.call('LPUSH', ready, table.remove(aside)[2])
          end
          redis.call('LPUSH', ready, ids[rest])
        end
        for rest = n, fresh_from - 1 do redis.call('ZADD', returned, places[rest], ids[rest]) end
        break
      end
      bytes_left = bytes_left - heavy
      local large = (string.byte(body, 9) or 0) % 4 >= 2
      local member = struct.pack('>I8', place) .. ARGV[large and 7 or 6] .. id
      members[#members + 1] = member
      answers[#answers + 1] = body
      deadlines[#deadlines + 1] = deadline
      deadlines[#deadlines + 1] = member
    end
  end
  if #members > 0 then redis.call('ZADD', leases, unpack(deadlines)) end
end
for _, suspect in ipairs(aside) do
  local id = string.sub(suspect[2], 1, 16)
  if redis.call('SREM', cancelled, id) == 0 then redis.call('ZADD', suspects, suspect[3], id) end
end
-- A call that found nothing writes nothing.
if #ids > 0 or #aside > 0 then
  redis.call('HSET', config, 't', text, 'p', string.format('%.0f', call))
  if offset then redis.call('HSET', config, 'o', offset) end
elseif #late > 0 or #due > 0 then
  stamp(config, text, offset)
end

local notes = {}
if #members > 0 then
  if some_records then
    local taken = {}
    for n = 1, #members do taken[n] = string.sub(members[n], 17) end
    notes = redis.call('HMGET', records, unpack(taken))
  end
  if redis.call('EXISTS', ready, returned, suspects) > 0 then ring(bell) end
end
return { now, members, answers, notes, orphans }
