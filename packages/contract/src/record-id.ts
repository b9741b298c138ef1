import { id } from './common.ts';

export const EXAMPLE_RECORD_ID = '6a2b4f0c81d3e5a7b9c2d4f6';

export const recordId = {
  ...id,
  description: 'The id of a delivery record, from the delivery log.',
  examples: [EXAMPLE_RECORD_ID],
} as const;
