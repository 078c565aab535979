-- wrk's script: posts one recorded review again and again (arguments: its file), and says on stderr what came of it:
-- requests, duration in us, latencies at 50 and 99 % in us, answers other than 2xx and 3xx, broken connections.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

local request_text

function init(args)
    local file = assert(io.open(args[1], "rb"))
    wrk.body = file:read("*a")
    file:close()
    request_text = wrk.format()
end

function request()
    return request_text
end

function done(summary, latency)
    local e = summary.errors
    io.stderr:write(string.format("%d %d %d %d %d %d\n", summary.requests, summary.duration, latency:percentile(50),
        latency:percentile(99), e.status, e.connect + e.read + e.write + e.timeout))
end
