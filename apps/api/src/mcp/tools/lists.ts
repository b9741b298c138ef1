import { getAccount } from '@pts/contract/account';
import { getAttention, listShipments, shipmentsQuery } from '@pts/contract/shipments';
import { READS, tool } from '../tool.ts';

const MAX_ROWS = 50;
const DEFAULT_ROWS = 20;

const {
  status,
  q,
  carrier,
  created_after,
  created_before,
  updated_after,
  updated_before,
  needs_attention,
  sort,
  cursor,
} = shipmentsQuery.properties;

export const search = tool({
  name: 'search_shipments',
  title: 'List and search shipments',
  description: `The shipments of the account, ${DEFAULT_ROWS} a page: searched by number, order id or title, filtered by status, carrier, times and what needs attention, sorted. total counts all that match, up to 10,000. Use it for lists, counts and questions such as "what is late?". Free.`,
  hints: READS,
  contract: listShipments,
  inputSchema: {
    type: 'object',
    properties: {
      q,
      status,
      carrier,
      created_after,
      created_before,
      updated_after,
      updated_before,
      needs_attention,
      sort,
      cursor,
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_ROWS,
        description: `Entries of a page; default ${DEFAULT_ROWS}.`,
      },
    },
  },
  toInput: ({ limit = DEFAULT_ROWS, ...filter }) => ({ ...filter, limit: String(limit), count: 'true' as const }),
});

export const attention = tool({
  name: 'what_needs_attention',
  title: 'What needs attention',
  description:
    'What needs somebody now: the account itself (quota, failing webhooks), how many shipments for each reason, and the newest ten of them. Start here for "is everything all right?". Free.',
  hints: READS,
  contract: getAttention,
  inputSchema: { type: 'object', properties: {} },
  toInput: (given) => given,
});

export const account = tool({
  name: 'get_quota',
  title: 'Read the quota',
  description:
    'The plan, and the units of quota that are used and left this month. Look here before you register many parcels. Free.',
  hints: READS,
  contract: getAccount,
  inputSchema: { type: 'object', properties: {} },
  toInput: (given) => given,
});
