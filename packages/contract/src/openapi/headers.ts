/** Response headers. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Identifies this request in our logs; quote it in support requests. A plain id of your own is kept.',
    schema: { type: 'string', examples: ['0c6c5f4e-2a65-4d0a-9a0e-3f0f8a1d7b52'] },
  },
  'RateLimit-Limit': {
    description: 'Requests per second that this limit allows. Absent if the installation has no limits.',
    schema: { type: 'integer', examples: [3] },
  },
  'RateLimit-Remaining': {
    description: 'Requests left in the current window.',
    schema: { type: 'integer', examples: [2] },
  },
  'RateLimit-Reset': {
    description:
      'Seconds until the current window ends. After a 429, wait for `Retry-After` instead: waiting only for this header hits the limit again.',
    schema: { type: 'integer', examples: [1] },
  },
  'Retry-After': {
    description:
      'Seconds to wait before the next try: 120 after a 429, the rest of the hour after a 4113, some seconds after a 409 for a request that is still running.',
    schema: { type: 'integer', examples: [120] },
  },
  'Idempotency-Replayed': {
    description:
      'Present if the request was not carried out again: this is the response of the first with its `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  Link: {
    description: 'The page about the error, the same as `data.docs_url`.',
    schema: { type: 'string', examples: ['<https://api.example.com/docs/errors/4110>; rel="help"'] },
  },
  ETag: {
    description: 'Changes when the response changes. Send it as `If-None-Match` to get 304 while it has not.',
    schema: { type: 'string', examples: ['"q5S0V1sQn1Jm2tVb3uYk7w"'] },
  },
} as const;
export type HeaderName = keyof typeof HEADERS;

export const LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** References to headers, for a response. */
export function headerRefs(names: readonly HeaderName[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
