/** Webhooks that an account may have. */
export const MAX_WEBHOOKS = 10;

/** Pending deliveries of a webhook are counted up to this number, which then means "this many or more". */
export const MOST_PENDING = 1000;

/** Records on a page of the delivery log (spec section 8). */
export const LOG_PAGE = 50;

/** Other attempts of its message that a delivery record comes with. */
export const MOST_OTHER_ATTEMPTS = 100;

/** Replays of a webhook that are listed, the newest. */
export const MOST_REPLAYS = 50;
