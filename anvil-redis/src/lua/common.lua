-- Shared by all scripts.

-- Queue time in microseconds: the server's clock, but never going back. Where the server's clock
-- was set back, the offset carries queue time on from what was seen last, at the same pace.
local function clock(seen, offset)
  local time = redis.call('TIME')
  local server = time[1] * 1000000 + time[2]
  local last = tonumber(seen) or 0
  if server >= last then
    -- An offset that is not needed any more is cleared: the server may be set back again.
    return server, offset and offset ~= '0' and 0 or nil
  end
  local now = math.max(server + (tonumber(offset) or 0), last)
  return now, now - server
end

local function stamp(config, now, offset)
  if offset then
    redis.call('HSET', config, 't', now, 'o', offset)
  else
    redis.call('HSET', config, 't', now)
  end
end

-- Looks at keys before anything is written: one that holds something of another type fails here,
-- where nothing is half done yet.
local function look(command, ...)
  for _, key in ipairs({ ... }) do redis.call(command, key) end
end

-- Wakes one who waits. The bell holds at most one element, so it can't pile up.
local function ring(bell)
  if redis.call('EXISTS', bell) == 0 then
    redis.call('RPUSH', bell, 1)
  end
end

-- The record of a job that has failed, crashed, been put off or replayed: attempts, reclaims,
-- snoozes, replays, reason of death, first and last failure. One that can't be read counts as none.
local RECORD = '>I4I4I4I4BHc0Hc0'
local ATTEMPTS, RECLAIMS, SNOOZES, REPLAYS, REASON, FIRST, LAST = 1, 2, 3, 4, 5, 6, 7

local function read_record(text)
  if text then
    local read = { pcall(struct.unpack, RECORD, text) }
    if read[1] then
      table.remove(read, 1)
      return read
    end
  end
  return { 0, 0, 0, 0, 0, '', '' }
end

local function write_record(record)
  return struct.pack(RECORD, record[ATTEMPTS], record[RECLAIMS], record[SNOOZES], record[REPLAYS],
    record[REASON], #record[FIRST], record[FIRST], #record[LAST], record[LAST])
end

-- Positions are times of death in microseconds, made unique.
local function bury(config, records, dead, id, record, reason, now)
  local position = math.max(now, (tonumber(redis.call('HGET', config, 'x')) or 0) + 1)
  record[REASON] = reason
  redis.call('HSET', config, 'x', position)
  redis.call('HSET', records, id, write_record(record))
  redis.call('ZADD', dead, position, id)
  redis.call('HINCRBY', config, 'buried', 1)
end

-- A job with a reclaim behind it is marked wherever its id waits in a line.
local function marked(id, record)
  return record[RECLAIMS] > 0 and id .. '!' or id
end

-- Removes a job whose run was asked to end, where it would have waited again.
local function forget(config, bodies, records, id)
  redis.call('HDEL', bodies, id)
  redis.call('HDEL', records, id)
  redis.call('HINCRBY', config, 'cancelled', 1)
end
