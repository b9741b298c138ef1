export const EXAMPLE_RECORD_ID = 'q3ZtV8nLw1Yk0RbXoGe5JmUa7Dc';

/** Delivery records have ids of their own form. */
export const recordId = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{27}$',
  description: 'The id of a delivery record, from the delivery log.',
  examples: [EXAMPLE_RECORD_ID],
} as const;
