/** The maximum number of webhooks of an account. */
export const MAX_WEBHOOKS = 10;

/** Pending deliveries of a webhook are counted up to this number, which then means "this many or more". */
export const MAX_PENDING = 1000;

/** The maximum number of other attempts of its message in a delivery record. */
export const MAX_OTHER_ATTEMPTS = 100;

/** How many replays of a webhook are listed, newest first. */
export const MAX_REPLAYS = 50;

/** How many events of a tracking are listed, newest first. */
export const MAX_TRACKING_EVENTS = 100;

/** How many of the newest attempts of a webhook say how it does. */
export const RECENT_ATTEMPTS = 200;

/** How many hours of a webhook's attempts are shown, the current one included. */
export const ENDPOINT_HOURS = 24;
