-- Ends leases.
--
-- KEYS  config bodies records ready returned suspects scheduled leases dead bell cancels applied,
--       then the key of the payload of each large job
-- ARGV  a letter for each settlement, the leases (token and id), then a number and a report for
--       each Retry, Snooze and Bury
-- Answers with '1' (applied) or '0' (the lease is lost) for each.
local config, bodies, records, ready, returned, suspects, scheduled, leases, dead, bell, cancels,
  applied = unpack(KEYS, 1, 12)
local letters = ARGV[1]
local count = #letters
-- What was applied is remembered in this many pieces of at most so many settlements.
local PIECES, PIECE = 1024, 32

local seen = redis.call('HMGET', config, 't', 'o')
local now, offset, text = clock(seen[1], seen[2])
local held = redis.call('ZMSCORE', leases, unpack(ARGV, 2, count + 1))
look('HLEN', bodies)
local some_records = redis.call('HLEN', records) > 0
look('LLEN', applied)
if string.find(letters, '[^C]') then
  look('ZCARD', returned, suspects, scheduled, dead)
end
local some_cancels = redis.call('SCARD', cancels) > 0

local ended, endings, lost, answers = {}, {}, {}, {}
for n = 1, count do
  local member, letter = ARGV[n + 1], string.sub(letters, n, n)
  if ended[member] then
    answers[n] = ended[member] == letter and '1' or '0'
  elseif held[n] then
    ended[member] = letter
    endings[#endings + 1] = member
    answers[n] = 'now'
  else
    answers[n] = '0'
    lost[letter .. member] = n
  end
end

-- A settlement sent again after a lost reply is known by what was applied last.
if next(lost) then
  for _, batch in ipairs(redis.call('LRANGE', applied, 0, -1)) do
    for at = 1, #batch, 33 do
      local n = lost[string.sub(batch, at, at + 32)]
      if n then answers[n] = '1' end
    end
  end
  -- The same settlement may stand more than once in this call.
  for n = 1, count do
    local first = lost[string.sub(letters, n, n) .. ARGV[n + 1]]
    if first then answers[n] = answers[first] end
  end
end

local completed, released, retried, snoozed, missed = {}, 0, 0, 0, 0
local argument, large = count + 2, 13
local earliest = math.huge
local remembered = {}
local unlinked = {}
local first_due = nil
-- The jobs whose runs were asked to end.
local asked = {}
if #endings > 0 then
  redis.call('ZREM', leases, unpack(endings))
  if some_cancels then
    for n = 1, #endings do
      local id = string.sub(endings[n], 17)
      asked[id] = redis.call('SREM', cancels, id) == 1
    end
  end
end
for n = 1, count do
  local letter, member = string.sub(letters, n, n), ARGV[n + 1]
  local number, report
  if letter == 'T' or letter == 'S' or letter == 'B' then
    number, report = tonumber(ARGV[argument]), ARGV[argument + 1]
    argument = argument + 2
  end
  local body_key
  if string.byte(member, 9) >= 128 then
    body_key = KEYS[large]
    large = large + 1
  end
  if answers[n] == 'now' then
    answers[n] = '1'
    local id = string.sub(member, 17)
    remembered[#remembered + 1] = letter .. member
    if letter == 'C' then
      completed[#completed + 1] = id
      unlinked[#unlinked + 1] = body_key
    else
      local record = read_record(redis.call('HGET', records, id))
      if letter == 'R' then
        released = released + 1
        local place = struct.unpack('>I8', member)
        if not asked[id] then
          redis.call('ZADD', record[RECLAIMS] > 0 and suspects or returned, place, id)
        end
      elseif letter == 'S' then
        snoozed = snoozed + 1
        record[SNOOZES] = record[SNOOZES] + 1
      else
        record[ATTEMPTS] = record[ATTEMPTS] + 1
        report = struct.pack('>I8', now) .. report
        if record[FIRST] == '' then record[FIRST] = report end
        record[LAST] = report
      end
      if letter == 'B' then
        bury(config, records, dead, id, record, number, now)
      elseif letter == 'T' then
        retried = retried + 1
      end
      if asked[id] and letter ~= 'B' then
        forget(config, bodies, records, id)
        unlinked[#unlinked + 1] = body_key
      elseif letter == 'T' or letter == 'S' then
        redis.call('HSET', records, id, write_record(record))
        if not first_due then
          local first = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2]
          first_due = tonumber(first) or math.huge
        end
        -- A microsecond apart, so that those of one call become due in their order.
        local due = number > 0 and now + number + n - 1 or now
        earliest = math.min(earliest, due)
        redis.call('ZADD', scheduled, due, marked(id, record))
      end
    end
  elseif answers[n] == '0' then
    missed = missed + 1
  end
end

if #endings > 0 then
  if #completed > 0 then
    redis.call('HDEL', bodies, unpack(completed))
    if some_records then redis.call('HDEL', records, unpack(completed)) end
    redis.call('HINCRBY', config, 'completed', #completed)
  end
  if #unlinked > 0 then redis.call('UNLINK', unpack(unlinked)) end
  for from = 1, #remembered, PIECE do
    local to = math.min(from + PIECE - 1, #remembered)
    redis.call('LPUSH', applied, table.concat(remembered, '', from, to))
  end
  redis.call('LTRIM', applied, 0, PIECES - 1)
  stamp(config, text, offset)
end
if released > 0 then redis.call('HINCRBY', config, 'released', released) end
if retried > 0 then redis.call('HINCRBY', config, 'retried', retried) end
if snoozed > 0 then redis.call('HINCRBY', config, 'snoozed', snoozed) end
if missed > 0 then redis.call('HINCRBY', config, 'lost', missed) end
if released > 0 or earliest < (first_due or 0) then ring(bell) end
return table.concat(answers)
