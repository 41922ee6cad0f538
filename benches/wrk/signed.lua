-- Sends the requests of a file, each once.
--
--   wrk -s signed.lua URL -- FILE LENGTH COUNT THREADS
--
-- FILE holds COUNT complete HTTP requests of LENGTH bytes each. Every thread sends a slice of its
-- own and never starts again: a thread that is through asks for a path that no server here has, so
-- that the run shows errors as well as `exhausted`.

local threads = {}

-- wrk calls this once a thread, in one Lua state of its own.
function setup(thread)
   thread:set("number", #threads)
   table.insert(threads, thread)
end

-- From here on to `request`, in the thread's state.
function init(args)
   local path, count = args[1], tonumber(args[3])
   local slice = math.floor(count / tonumber(args[4]))
   length = tonumber(args[2])
   left = slice
   exhausted = 0
   file = assert(io.open(path, "rb"))
   file:setvbuf("full", 1048576)
   assert(file:seek("set", number * slice * length))
end

function request()
   if left > 0 then
      left = left - 1
      return file:read(length)
   end
   exhausted = 1
   return "GET /exhausted HTTP/1.1\r\nhost: localhost\r\n\r\n"
end

-- Back in the state of `setup`.
function done(summary)
   local exhausted_threads = 0
   for _, thread in ipairs(threads) do
      exhausted_threads = exhausted_threads + thread:get("exhausted")
   end
   local errors = summary.errors
   print(string.format(
      "requests=%d duration_us=%d status_errors=%d socket_errors=%d exhausted=%d",
      summary.requests, summary.duration, errors.status,
      errors.connect + errors.read + errors.write + errors.timeout, exhausted_threads))
end
