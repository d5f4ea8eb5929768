# A shop in one file: an order, its payment, and the callback that confirms it.
require "json"
require "net/http"
require "openssl"
require "securerandom"
require "socket"

API, SESSIONS, SHOP = ENV.fetch("TILL_API"), ENV.fetch("TILL_SESSIONS"), ENV.fetch("SHOP_URL")
CLIENT_ID, SECRET = ENV.fetch("TILL_CLIENT_ID"), ENV.fetch("TILL_CLIENT_SECRET")
ORDER = { id: "A-#{SecureRandom.uuid}", price: "49.90", currency: "EUR", cart: "C-77" }
SEEN, OUTCOME = {}, Queue.new # in your shop: tables of its database
$stdout.sync = true

def verify(secret, raw_body, x_signature)
  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, raw_body)
  secret != "" && OpenSSL.secure_compare(expected, x_signature.to_s)
end

# Responds to a callback.
def receive(raw_body, x_signature)
  unless verify(SECRET, raw_body, x_signature)
    warn "refused: the signature is wrong"
    return 401
  end
  event = JSON.parse(raw_body)
  # unknown to this shop, or a test.ping
  return 204 unless ["session.paid", "session.failed", "session.expired"].include?(event["event"])
  # A callback can arrive before the response to the create: then take the session from it.
  if event["orderId"] != ORDER[:id] || event["sessionId"] != (ORDER[:session] || event["sessionId"])
    warn "not a pending order, needs review: #{event["eventId"]}"
  elsif !SEEN[event["eventId"]] # in your shop: from here on one transaction
    right = event.values_at("price", "currency") == ORDER.values_at(:price, :currency)
    told = right ? event["status"] : "refused: this is not what was ordered"
    ORDER[:session], SEEN[event["eventId"]] = event["sessionId"], true
    puts "callback: #{told}"
    OUTCOME << told
  end
  204
end

server = TCPServer.new(Integer(ENV.fetch("SHOP_PORT", "3000"))) # in your shop: the framework's own
Thread.new do
  while (client = server.accept)
    client.gets
    headers = client.each_line.take_while { |line| line != "\r\n" }.to_h { |line| line.downcase.split(": ", 2) }
    body = client.read(headers["content-length"].to_i)
    client.write "HTTP/1.1 #{receive(body, headers["x-signature"]&.strip)} Received\r\nConnection: close\r\n\r\n"
    client.close
  end
end

def call(url, body = nil, headers = {})
  uri = URI(url)
  request = body ? Net::HTTP::Post.new(uri) : Net::HTTP::Get.new(uri)
  { "Content-Type" => "application/json", **headers }.each { |name, value| request[name] = value }
  request.body = JSON.generate(body) if body
  options = { use_ssl: uri.scheme == "https", read_timeout: 30 }
  answer = Net::HTTP.start(uri.host, uri.port, **options) { |http| http.request(request) }
  answer.is_a?(Net::HTTPSuccess) ? JSON.parse(answer.body) : abort("#{url}: #{answer.code} #{answer.body}")
end

token = call("#{API}/tokens", { client_id: CLIENT_ID, client_secret: SECRET })["access_token"]
auth = { "Authorization" => "Bearer #{token}" }
session = call(SESSIONS, {
  product_name: "Atlas", price: ORDER[:price], currency: ORDER[:currency], order_id: ORDER[:id],
  metadata: { cart: ORDER[:cart] }, # comes back in status, lists and callbacks
  callback_url: "#{SHOP}/callbacks", return_url: "#{SHOP}/thanks?order={ORDER_ID}",
}, auth.merge("Idempotency-Key" => ORDER[:id]))
ORDER[:session] = session["session_id"]
puts "pay at #{session["session_url"]}"
# in the sandbox, simulate the payment
call("#{SESSIONS}/#{ORDER[:session]}/simulate", { outcome: "paid" }, auth) if SESSIONS.include?("/sandbox/")
told = OUTCOME.pop
status = call("#{SESSIONS}/#{ORDER[:session]}", nil, auth)["status"]
puts "status: #{status}"
listed = call("#{SESSIONS}?order_id=#{ORDER[:id]}", nil, auth)["sessions"]
carts = listed.map { |found| found["metadata"]["cart"] }
puts "cart: #{carts.join(" ")}"
exit(told == "paid" && status == "paid" && carts == [ORDER[:cart]])
