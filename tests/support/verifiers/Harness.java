import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Instant;
import java.util.Base64;

final class Harness {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] f = line.split("\t", -1);
            Instant now = Instant.ofEpochSecond(Long.parseLong(f[4]));
            System.out.println(Webhook.verify(f[0], f[1], Base64.getDecoder().decode(f[2]), f[3], now));
        }
    }
}
