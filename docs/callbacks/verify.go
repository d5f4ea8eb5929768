package till

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

func verify(secret string, rawBody []byte, xSignature string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(rawBody)
	expected := hex.EncodeToString(mac.Sum(nil))
	return secret != "" && hmac.Equal([]byte(expected), []byte(xSignature))
}
