use std::env::var;

use pts::apis::configuration::{ApiKey, Configuration};
use pts::apis::{Error, shipments_api, trackings_api};
use pts::models::{ErrorEnvelope, Registration, ShipmentSort, TrackingDeliveredPush};

fn env(name: &str) -> String {
    var(name).unwrap()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut settings = Configuration::new();
    settings.base_path = env("BASE_URL") + "/api/v1";
    settings.api_key = Some(ApiKey { prefix: None, key: env("API_KEY") });
    for number in env("NUMBERS").split(',') {
        trackings_api::create_tracking(&settings, Registration::new(number.into()), None).await.unwrap();
    }
    let read = trackings_api::get_tracking(&settings, &env("PARCEL_ID"), None, None).await.unwrap().data;
    println!("{} {}", read.tracking_number, read.events[0].time.format("%Y-%m-%dT%H:%M:%SZ"));
    let (mut listed, mut cursor) = (vec![], None);
    loop {
        let page = shipments_api::list_shipments(
            &settings, None, Some(&env("PREFIX")), None, Some("{}"), None, None, None, None, None, None,
            Some(ShipmentSort::ShipmentSortCreatedAt), None, Some(1), cursor.as_deref(), None, None, None,
        ).await.unwrap().data;
        listed.extend(page.shipments.into_iter().map(|shipment| shipment.tracking_number));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    listed.sort();
    println!("{}", listed.join(","));
    let mut preview = Registration::new(env("NEW_NUMBER"));
    preview.dry_run = Some(true);
    let outcome = trackings_api::create_tracking(&settings, preview, None).await.unwrap().data;
    println!("{}", outcome.would_charge.unwrap());
    if let Err(Error::ResponseError(refused)) =
        trackings_api::create_tracking(&settings, Registration::new("!".into()), None).await
    {
        let error: ErrorEnvelope = serde_json::from_str(&refused.content).unwrap();
        println!("{}: {}", error.code, error.data.docs_url.unwrap());
    }
    // The header X-Webhook-Event names the type.
    let push: TrackingDeliveredPush = serde_json::from_str(&env("PUSH")).unwrap();
    println!("tracking_delivered {}", push.data.tracking_number);
}
