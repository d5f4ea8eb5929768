// Prints the answers of docs/callbacks/verify.go to the vectors.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	text, err := os.ReadFile("docs/callbacks/vectors.json")
	if err != nil {
		panic(err)
	}
	var file struct {
		Vectors []struct{ Name, Secret, Body, XSignature string }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		panic(err)
	}
	for _, vector := range file.Vectors {
		fmt.Printf("%s\t%t\n", vector.Name, verify(vector.Secret, []byte(vector.Body), vector.XSignature))
	}
}
