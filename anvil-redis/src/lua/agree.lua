-- Compares what a process was told about a queue with what the queue is: asked of the key of the
-- whole queue, which all processes know, however many partitions they were told of.
--
-- KEYS  config of the whole queue
-- ARGV  dedupe window ('': not compared), partitions, whether they are set where nothing is (1 or 0)
-- Answers with 'agreed', 'unknown' (nothing is set) or 'disagree' and what is set.
local set = redis.call('HMGET', KEYS[1], 'w', 'n')
if not set[2] then
  if ARGV[3] == '0' then return { 'unknown' } end
  redis.call('HSET', KEYS[1], 'w', ARGV[1], 'n', ARGV[2])
elseif set[2] ~= ARGV[2] or (ARGV[1] ~= '' and set[1] ~= ARGV[1]) then
  return { 'disagree', set[1], set[2] }
end
return { 'agreed' }
