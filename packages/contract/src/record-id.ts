export const EXAMPLE_RECORD_ID = 'q3ZtV8nLw1Yk0RbXoGe5JmUa7Dc';

/** Delivery records have ids of their own form; 0.2.0 gave out numbers, which are accepted while its processes run. */
export const recordId = {
  type: 'string',
  pattern: '^([A-Za-z0-9_-]{27}|[0-9]{1,18})$',
  description: 'The id of a delivery record, from the delivery log.',
  examples: [EXAMPLE_RECORD_ID],
} as const;
