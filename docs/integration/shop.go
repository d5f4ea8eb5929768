// A shop in one file: an order, its payment, and the callback that confirms it.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

type fields map[string]any

var sessions, secret, shop = os.Getenv("TILL_SESSIONS"), os.Getenv("TILL_CLIENT_SECRET"), os.Getenv("SHOP_URL")
var orderID = fmt.Sprintf("A-%d", time.Now().UnixNano())
var order = fields{"id": orderID, "price": "49.90", "currency": "EUR", "cart": "C-77"}
var lock, seen, outcome = sync.Mutex{}, map[any]bool{}, make(chan any, 1) // in your shop: tables of its database

func verify(secret string, rawBody []byte, xSignature string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(rawBody)
	expected := hex.EncodeToString(mac.Sum(nil))
	return secret != "" && hmac.Equal([]byte(expected), []byte(xSignature))
}

func receive(response http.ResponseWriter, request *http.Request) {
	rawBody, _ := io.ReadAll(request.Body)
	var event fields
	if !verify(secret, rawBody, request.Header.Get("X-Signature")) || json.Unmarshal(rawBody, &event) != nil {
		fmt.Fprintln(os.Stderr, "refused: the signature is wrong")
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	defer response.WriteHeader(http.StatusNoContent)
	lock.Lock() // in your shop: from here on one transaction
	defer lock.Unlock()
	known := map[any]bool{"session.paid": true, "session.failed": true, "session.expired": true}
	if !known[event["event"]] || seen[event["eventId"]] {
		return // unknown to this shop, a test.ping, or a repeat
	}
	// A callback can arrive before the response to the create: then take the session from it.
	if session := order["session"]; event["orderId"] != order["id"] || session != nil && session != event["sessionId"] {
		fmt.Fprintln(os.Stderr, "not a pending order, needs review:", event["eventId"])
		return
	}
	told := event["status"]
	if event["price"] != order["price"] || event["currency"] != order["currency"] {
		told = "refused: this is not what was ordered"
	}
	order["session"], seen[event["eventId"]] = event["sessionId"], true
	fmt.Println("callback:", told)
	outcome <- told
}

func call(method, url, token string, body fields) (answer fields) {
	var data []byte
	if body != nil {
		data, _ = json.Marshal(body)
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(data))
	check(err)
	request.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + token}}
	if key, ok := body["order_id"].(string); ok {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := (&http.Client{Timeout: 30 * time.Second}).Do(request)
	check(err)
	defer response.Body.Close()
	check(json.NewDecoder(response.Body).Decode(&answer))
	if response.StatusCode >= 300 {
		log.Fatalln(url, response.Status, answer)
	}
	return answer
}

func check(err error) {
	if err != nil {
		log.Fatalln(err)
	}
}

func main() {
	http.HandleFunc("/callbacks", receive)
	go func() { check(http.ListenAndServe(":"+os.Getenv("SHOP_PORT"), nil)) }()
	keys := fields{"client_id": os.Getenv("TILL_CLIENT_ID"), "client_secret": secret}
	token := call("POST", os.Getenv("TILL_API")+"/tokens", "", keys)["access_token"].(string)
	session := call("POST", sessions, token, fields{
		"product_name": "Atlas", "price": order["price"], "currency": order["currency"], "order_id": order["id"],
		"callback_url": shop + "/callbacks", "return_url": shop + "/thanks?order={ORDER_ID}",
		"metadata": fields{"cart": order["cart"]}, // comes back in status, lists and callbacks
	})
	lock.Lock()
	order["session"] = session["session_id"]
	lock.Unlock()
	fmt.Println("pay at", session["session_url"])
	url := fmt.Sprint(sessions, "/", session["session_id"])
	if strings.Contains(sessions, "/sandbox/") { // in the sandbox, simulate the payment
		call("POST", url+"/simulate", token, fields{"outcome": "paid"})
	}
	told := <-outcome
	status := call("GET", url, token, nil)["status"]
	fmt.Println("status:", status)
	listed := call("GET", sessions+"?order_id="+orderID, token, nil)["sessions"].([]any)
	cart := listed[0].(map[string]any)["metadata"].(map[string]any)["cart"]
	fmt.Println("cart:", cart)
	if told != "paid" || status != "paid" || len(listed) != 1 || cart != order["cart"] {
		os.Exit(1)
	}
}
