import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import pts.client.api.ShipmentsApi;
import pts.client.api.TrackingsApi;
import pts.client.model.ShipmentPage;
import pts.client.model.ShipmentSort;

final class Harness {
    public static void main(String[] arguments) throws Exception {
        List<String> ids = new ArrayList<>();
        for (String number : System.getenv("NUMBERS").split(",")) ids.add(Shop.register(number));
        System.out.println(new TrackingsApi(Shop.client()).getTracking(ids.get(0), null, null).getData().getTrackingNumber());
        List<String> listed = new ArrayList<>();
        String cursor = null;
        do {
            ShipmentPage page = new ShipmentsApi(Shop.client()).listShipments(
                    null, System.getenv("PREFIX"), null, "{}", null, null, null, null, null, null,
                    ShipmentSort.ShipmentSortCreatedAt, null, 1, cursor, null, null, null)
                    .getData();
            page.getShipments().forEach(shipment -> listed.add(shipment.getTrackingNumber()));
            cursor = page.getNextCursor();
        } while (cursor != null);
        System.out.println(String.join(",", listed));
        try {
            Shop.register("----1");
        } catch (IllegalArgumentException refused) {
            System.out.println(refused.getMessage());
        }
        Map<String, List<String>> headers = Map.of(
                "webhook-id", List.of(System.getenv("WEBHOOK_ID")),
                "webhook-timestamp", List.of(System.getenv("WEBHOOK_TIMESTAMP")),
                "webhook-signature", List.of(System.getenv("WEBHOOK_SIGNATURE")));
        String body = System.getenv("BODY");
        System.out.println(Shop.receive(body, headers) + " " + Shop.receive(body + " ", headers));
    }
}
