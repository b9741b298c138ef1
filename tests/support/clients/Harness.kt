import com.squareup.moshi.JsonAdapter
import pts.client.apis.ShipmentsApi
import pts.client.apis.TrackingsApi
import pts.client.infrastructure.ApiClient
import pts.client.infrastructure.ClientError
import pts.client.infrastructure.ClientException
import pts.client.infrastructure.Serializer
import pts.client.models.ErrorEnvelope
import pts.client.models.Registration
import pts.client.models.ShipmentSort
import pts.client.models.TrackingDeliveredPush

fun env(name: String): String = System.getenv(name)

fun main() {
    ApiClient.apiKey["X-API-Key"] = env("API_KEY")
    val trackings = TrackingsApi(env("BASE_URL") + "/api/v1")
    for (number in env("NUMBERS").split(",")) trackings.createTracking(Registration(number))
    val read = trackings.getTracking(env("PARCEL_ID")).`data`
    println("${read.trackingNumber} ${read.events[0].time.toInstant()}")
    val shipments = ShipmentsApi(env("BASE_URL") + "/api/v1")
    val listed = mutableListOf<String>()
    var cursor: String? = null
    do {
        val page = shipments.listShipments(
            q = env("PREFIX"), sort = ShipmentSort.ShipmentSortCreatedAt, limit = 1, cursor = cursor
        ).`data`
        listed += page.shipments.map { it.trackingNumber }
        cursor = page.nextCursor
    } while (cursor != null)
    println(listed.sorted().joinToString(","))
    println(trackings.createTracking(Registration(env("NEW_NUMBER"), dryRun = true)).`data`.wouldCharge)
    try {
        trackings.createTracking(Registration("!"))
    } catch (refused: ClientException) {
        val body = (refused.response as ClientError<*>).body as String
        val error = Serializer.moshi.adapter(ErrorEnvelope::class.java).fromJson(body)!!
        println("${error.code}: ${error.`data`.docsUrl}")
    }
    // The header X-Webhook-Event names the type.
    val push = Serializer.moshi.adapter(TrackingDeliveredPush::class.java).fromJson(env("PUSH"))!!
    println("${push.event.value} ${push.`data`.trackingNumber}")
}
