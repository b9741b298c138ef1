package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"

	pts "pts.example/client"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	ids := []string{}
	for _, number := range strings.Split(os.Getenv("NUMBERS"), ",") {
		ids = append(ids, must(register(number)))
	}
	client, ctx := newClient()
	read, _, err := client.TrackingsAPI.GetTracking(ctx, ids[0]).Execute()
	fmt.Println(must(read, err).Data.TrackingNumber)
	listed := []string{}
	for request := client.ShipmentsAPI.ListShipments(ctx).Q(os.Getenv("PREFIX")).Sort(pts.ShipmentSortCreatedAt).Limit(1); ; {
		answer, _, err := request.Execute()
		for _, shipment := range must(answer, err).Data.Shipments {
			listed = append(listed, shipment.TrackingNumber)
		}
		cursor := answer.Data.NextCursor.Get()
		if cursor == nil {
			break
		}
		request = request.Cursor(*cursor)
	}
	fmt.Println(strings.Join(listed, ","))
	_, refused := register("----1")
	fmt.Println(refused)
	headers := http.Header{}
	headers.Set("webhook-id", os.Getenv("WEBHOOK_ID"))
	headers.Set("webhook-timestamp", os.Getenv("WEBHOOK_TIMESTAMP"))
	headers.Set("webhook-signature", os.Getenv("WEBHOOK_SIGNATURE"))
	body := os.Getenv("BODY")
	fmt.Println(receive([]byte(body), headers), receive([]byte(body+" "), headers))
}
