/** Where work comes from: the request that began it, and the span that it follows from, if that is sampled. */
export type Origin = { requestId: string | null; traceparent: string | null };

/** Parcels and requests that one line of the log names. */
export const MAX_NAMED = 10;

/** The requests behind some work, each once, as many as a line of the log names. */
export function requestsOf(origins: readonly { requestId?: string | null | undefined }[]): string[] {
  return [...new Set(origins.flatMap(({ requestId }) => requestId ?? []))].slice(0, MAX_NAMED);
}
