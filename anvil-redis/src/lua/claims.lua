-- Claims: which job holds which digest. Shared by the scripts that claim.
--
-- Claims are kept in three slots that are each half a window wide, so that those that have run out
-- can be dropped together; what a claim itself says decides whether it still holds. A slot is a
-- hash from the first six bytes of a digest to the claims that begin so, mostly one: a field of six
-- bytes and a value of thirty are as small as Redis can keep them. A claim is the job (16 bytes),
-- the time in milliseconds (6) and the rest of the digest (8).
local CLAIM = 30

local function claim_of(id, now, rest)
  return id .. struct.pack('>I6', math.floor(now / 1000)) .. rest
end

-- The job that holds a digest, among the claims that begin like it; the newest is the last.
local function holder_among(claims, rest, now, window)
  for at = #claims - CLAIM + 1, 1, -CLAIM do
    if string.sub(claims, at + 22, at + 29) == rest
      and now < struct.unpack('>I6', claims, at + 16) * 1000 + window then
      return string.sub(claims, at, at + 15)
    end
  end
end

-- The slot of this epoch, or of one so many before it, and the epoch.
local function slot_of(now, window, back)
  local epoch = math.floor(now / (window / 2)) - back
  return epoch % 3, epoch
end
