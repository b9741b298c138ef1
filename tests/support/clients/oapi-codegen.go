package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sort"
	"strings"
	"time"

	"harness/client"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	key := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", os.Getenv("API_KEY"))
		return nil
	}
	service := must(client.NewClientWithResponses(os.Getenv("BASE_URL")+"/api/v1", client.WithRequestEditorFn(key)))
	create := func(body client.Registration) *client.CreateTrackingResponse {
		return must(service.CreateTrackingWithResponse(ctx, nil, body))
	}
	for _, number := range strings.Split(os.Getenv("NUMBERS"), ",") {
		create(client.Registration{TrackingNumber: number})
	}
	read := must(service.GetTrackingWithResponse(ctx, os.Getenv("PARCEL_ID"), nil)).JSON200.Data
	fmt.Println(read.TrackingNumber, read.Events[0].Time.Format(time.RFC3339))
	prefix, order, limit := os.Getenv("PREFIX"), client.ShipmentSortCreatedAt, 1
	listed := []string{}
	for query := (client.ListShipmentsParams{Q: &prefix, Sort: &order, Limit: &limit}); ; {
		page := must(service.ListShipmentsWithResponse(ctx, &query)).JSON200.Data
		for _, shipment := range page.Shipments {
			listed = append(listed, shipment.TrackingNumber)
		}
		if query.Cursor = page.NextCursor; query.Cursor == nil {
			break
		}
	}
	sort.Strings(listed)
	fmt.Println(strings.Join(listed, ","))
	dryRun := true
	fmt.Println(*create(client.Registration{TrackingNumber: os.Getenv("NEW_NUMBER"), DryRun: &dryRun}).JSON200.Data.WouldCharge)
	refused := create(client.Registration{TrackingNumber: "!"}).JSON400
	fmt.Printf("%d: %s\n", refused.Code, *refused.Data.DocsUrl)
	var push client.Push
	if err := json.Unmarshal([]byte(os.Getenv("PUSH")), &push); err != nil {
		panic(err)
	}
	delivered := must(push.AsTrackingDeliveredPush())
	fmt.Println(must(push.Discriminator()), delivered.Data.TrackingNumber)
}
