import java.util.List;
import java.util.Map;

final class Harness {
    public static void main(String[] arguments) throws Exception {
        Map<String, List<String>> headers = Map.of(
                "webhook-id", List.of(System.getenv("WEBHOOK_ID")),
                "webhook-timestamp", List.of(System.getenv("WEBHOOK_TIMESTAMP")),
                "webhook-signature", List.of(System.getenv("WEBHOOK_SIGNATURE")));
        String body = System.getenv("BODY");
        System.out.println(
                Shop.unitsLeft() + " " + Shop.receive(body, headers) + " " + Shop.receive(body + " ", headers));
    }
}
