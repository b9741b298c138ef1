import { type AccountNoticeKind, ENDED_STATES, FAILING_PERCENTS, KEY_DAYS, QUOTA_PERCENTS } from '@pts/core/notices';
import { accountResponse } from './account.ts';
import { entryCount, id, instant, lang, nextBefore, pageLimit, pageLimitAsNumber } from './common.ts';
import { pascalCase } from './openapi/components.ts';
import { defineOperation } from './operation.ts';
import { object, optional } from './schema.ts';

const url = { type: 'string', description: 'Its address.', examples: ['https://shop.example.com/hooks'] } as const;
const provider = { type: 'string', description: 'The provider.', examples: ['kuaidi100'] } as const;
const count = (description: string) => ({ type: 'integer', description }) as const;
const ended = {
  title: 'EndedState',
  type: 'string',
  enum: ENDED_STATES,
  description: 'How it ended.',
} as const;

/** A notice of one kind; the kind is first, because it tells the kinds apart. */
function noticeOf<const K extends AccountNoticeKind, const D extends Readonly<Record<string, object>>>(
  kind: K,
  description: string,
  subject: string,
  details: D,
) {
  const name = pascalCase(kind);
  return object(
    {
      kind: { title: `${name}NoticeKind`, type: 'string', enum: [kind], description: 'The kind of notice.' },
      id: { ...id, description: 'The id of the notice.' },
      subject: { type: 'string', description: `The subject of the notice: ${subject}.` },
      details: object(details, { title: `${name}Details`, description: 'Details that depend on the kind.' }),
      since: { ...instant, description: 'When it started or happened.' },
      until: optional({
        ...instant,
        description: 'When it was over. Absent until then, and for notices about a single moment.',
      }),
      text: { type: 'string', description: 'The notice in words.' },
    },
    { title: `${name}Notice`, description },
  );
}

const webhook = 'the id of the webhook';

/** A notice of any kind. */
export const notice = {
  title: 'Notice',
  description: 'A notice about the account itself. `kind` says what it is about.',
  oneOf: [
    noticeOf(
      'webhook_failing',
      `${FAILING_PERCENTS.join(' or ')} % of the newest attempts of a webhook fail.`,
      webhook,
      {
        url,
        percent: { type: 'integer', description: 'The share that was reached.', examples: FAILING_PERCENTS },
        attempts: count('The number of newest attempts considered.'),
        failed: count('How many of them failed.'),
      },
    ),
    noticeOf('webhook_disabled', 'A webhook was disabled by the service or its operator.', webhook, {
      url,
      reason: { type: 'string', description: 'Why.' },
    }),
    noticeOf('webhook_recovered', 'A webhook that failed or was disabled is working again.', webhook, { url }),
    noticeOf(
      'quota_used',
      `${QUOTA_PERCENTS.join(', ')} % of the month's quota is used.`,
      'the month, such as `2026-11`',
      {
        percent: { type: 'integer', description: 'The share that was reached.', examples: QUOTA_PERCENTS },
        used: count('Units used at that time.'),
        limit: count('Units in this month.'),
        resets_at: accountResponse.properties.resets_at,
      },
    ),
    noticeOf('key_expiring', `An API key expires within ${KEY_DAYS} days.`, 'the id of the key', {
      name: { type: ['string', 'null'], description: 'Its name.', examples: ['ERP'] },
      hint: { type: 'string', description: 'The first and last characters of the key.', examples: ['tk_3f1a…9f3c'] },
      expires_at: { ...instant, description: 'When it expires.' },
    }),
    noticeOf('import_ended', 'An import has ended. Dry runs cause no notice.', 'the id of the import', {
      state: ended,
      file_name: { type: ['string', 'null'], description: 'The name of its file.', examples: ['orders.xlsx'] },
      registered: count('New parcels.'),
      rejected: count('Rows that were rejected.'),
    }),
    noticeOf('bulk_action_ended', 'A bulk action has ended. Dry runs cause no notice.', 'the id of the bulk action', {
      state: ended,
      action: { type: 'string', description: 'What it did.', examples: ['retrack'] },
      done: count('The number of items for which it was done.'),
      skipped: count('The number of skipped items.'),
      failed: count('The number of items for which it failed.'),
    }),
    noticeOf(
      'provider_out',
      'A provider that parcels of the account depend on is not responding.',
      'the name of the provider',
      { provider },
    ),
    noticeOf('provider_back', 'A provider that was out is responding again.', 'the name of the provider', { provider }),
  ],
} as const;

/** GET /account/notices. */
export const noticesQuery = {
  type: 'object',
  properties: {
    lang: { ...lang, description: 'The language of `text`.' },
    limit: pageLimit,
    before: { ...id, description: 'The `next_before` of the previous page.' },
  },
} as const;

const noticesResponse = object(
  {
    count: entryCount,
    notices: {
      type: 'array',
      maxItems: pageLimitAsNumber.maximum,
      items: notice,
      description: 'Newest first.',
    },
    next_before: nextBefore,
  },
  { title: 'NoticeList' },
);

export const listNotices = defineOperation({
  method: 'get',
  path: '/account/notices',
  limit: 'account',
  repeat: 'safe',
  scope: 'read',
  input: 'query',
  request: noticesQuery,
  localized: true,
  response: noticesResponse,
  doc: {
    id: 'listNotices',
    tag: 'Account',
    summary: 'List notices about the account',
    summaryZh: '账户通知',
    description:
      'Notices about the account itself, newest first: failing, disabled and recovered webhooks, a quota that runs out, keys that expire, imports and bulk actions that have ended, and providers that are out or back. Each notice is listed once and kept as long as events. A webhook with `account_notice` in its `events` receives them as pushes. `text` is in the language of `lang` or `Accept-Language`, otherwise in the `lang` of the account, otherwise in English.',
    example: {
      response: {
        count: 1,
        notices: [
          {
            kind: 'quota_used',
            id: '691f0a3c5d2b4e6f8a9c0d1f',
            subject: '2025-11',
            details: { percent: 80, used: 8000, limit: 10_000, resets_at: '2025-12-01T00:00:00Z' },
            since: '2025-11-20T16:40:12Z',
            text: '80 % of this month’s quota is used: 8000 of 10000 units.',
          },
        ],
        next_before: null,
      },
    },
  },
});
