/** An endpoint that is enabled, or now points elsewhere, begins anew: nothing is held against it. */
export const HEALTHY = { failingSince: null, lastFailedAt: null, notBefore: null };

export const ENABLED = { ...HEALTHY, enabled: true, disabledReason: null, disabledAt: null };
