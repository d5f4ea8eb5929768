require "openssl"

def verify(secret, raw_body, x_signature)
  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, raw_body)
  secret != "" && OpenSSL.secure_compare(expected, x_signature.to_s)
end
