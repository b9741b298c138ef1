package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func main() {
	headers := http.Header{}
	headers.Set("webhook-id", os.Getenv("WEBHOOK_ID"))
	headers.Set("webhook-timestamp", os.Getenv("WEBHOOK_TIMESTAMP"))
	headers.Set("webhook-signature", os.Getenv("WEBHOOK_SIGNATURE"))
	left, err := unitsLeft(context.Background())
	if err != nil {
		panic(err)
	}
	body := os.Getenv("BODY")
	fmt.Println(left, receive([]byte(body), headers), receive([]byte(body+" "), headers))
}
