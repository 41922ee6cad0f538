-- Shared by the scripts that read or write what has happened to a job.

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
