/** What answers carry besides their body. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Names this request in our logs: tell it when you ask for help. A plain one of your own is kept.',
    schema: { type: 'string', examples: ['0c6c5f4e-2a65-4d0a-9a0e-3f0f8a1d7b52'] },
  },
  'RateLimit-Limit': {
    description: 'Requests a second that this limit lets through. Absent where the installation has no limits.',
    schema: { type: 'integer', examples: [3] },
  },
  'RateLimit-Remaining': {
    description: 'How many of them are left.',
    schema: { type: 'integer', examples: [2] },
  },
  'RateLimit-Reset': {
    description:
      'Seconds until the window of this limit ends and all of them are there again. After a 429 `Retry-After` counts: a client that waits for this only meets the limit again.',
    schema: { type: 'integer', examples: [1] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try: 120 after a 429, what is left of the hour after a 4113.',
    schema: { type: 'integer', examples: [120] },
  },
  ETag: {
    description: 'Changes when the answer does. Send it as `If-None-Match` to be answered 304 while it does not.',
    schema: { type: 'string', examples: ['"q5S0V1sQn1Jm2tVb3uYk7w"'] },
  },
} as const;
export type HeaderName = keyof typeof HEADERS;

export const LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** References to headers, for a response. */
export function headerRefs(names: readonly HeaderName[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
