-- Shared by all scripts.

-- Queue time in microseconds: the server's clock, but never going back. Where the server's clock
-- was set back, the offset carries queue time on from what was seen last, at the same pace. Also
-- gives the time as text: writing out a number costs as much as a call.
local function clock(seen, offset)
  local time = redis.call('TIME')
  local server = time[1] * 1000000 + time[2]
  local last = tonumber(seen) or 0
  if server >= last then
    -- An offset that is not needed any more is cleared: the server may be set back again.
    local text = string.format('%s%06d', time[1], time[2])
    return server, offset and offset ~= '0' and 0 or nil, text
  end
  local now = math.max(server + (tonumber(offset) or 0), last)
  return now, now - server, string.format('%.0f', now)
end

local function stamp(config, text, offset)
  if offset then
    redis.call('HSET', config, 't', text, 'o', offset)
  else
    redis.call('HSET', config, 't', text)
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
