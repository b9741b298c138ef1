/** An endpoint and its account: statements about the endpoint name both. */
export type EndpointKey = { webhookId: string; accountId: string };
/** An endpoint with pending deliveries, and whether it has been failing. */
export type PendingEndpoint = EndpointKey & { isFailing: boolean };
