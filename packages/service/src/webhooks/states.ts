/** The health of an endpoint that is enabled or gets a new URL: earlier failures do not count. */
export const HEALTHY = { failingSince: null, lastFailedAt: null, notBefore: null };

export const ENABLED = { ...HEALTHY, enabled: true, disabledReason: null, disabledAt: null };
