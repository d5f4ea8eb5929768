-- For wrk: creates without a pause, counted by status, and by whether a refusal says when to try again.
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(arguments)
  created, refused, limited, other, silent = 0, 0, 0, 0, 0
  wrk.method = "POST"
  wrk.headers["Authorization"] = "Bearer " .. arguments[1]
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = '{"product_name":"Atlas","price":"49.90","currency":"RUB","order_id":"flood"}'
end

function response(status, headers)
  if status == 201 then
    created = created + 1
  elseif status == 503 then
    refused = refused + 1
  elseif status == 429 then
    limited = limited + 1
  else
    other = other + 1
  end
  if status ~= 201 and not (headers["retry-after"] or headers["Retry-After"]) then
    silent = silent + 1
  end
end

function done(summary, latency)
  local sum = {}
  for _, name in ipairs({"created", "refused", "limited", "other", "silent"}) do
    sum[name] = 0
    for _, thread in ipairs(threads) do
      sum[name] = sum[name] + thread:get(name)
    end
  end
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"created":%d,"refused":%d,"limited":%d,"other":%d,"silent":%d,"seconds":%.3f,"p50":%.1f,"p99":%.1f,"max":%.1f,' ..
    '"connect":%d,"read":%d,"write":%d,"timeout":%d}\n',
    sum.created, sum.refused, sum.limited, sum.other, sum.silent, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, latency.max / 1e3, errors.connect, errors.read, errors.write, errors.timeout))
end
