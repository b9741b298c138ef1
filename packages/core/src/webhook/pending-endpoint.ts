/** An endpoint with pending deliveries, and whether it has been failing. */
export type PendingEndpoint = { webhookId: string; isFailing: boolean };
