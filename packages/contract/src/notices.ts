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
  description: 'How it has ended.',
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
      subject: { type: 'string', description: `What it is about: ${subject}.` },
      details: object(details, { title: `${name}Details`, description: 'More about it, by its kind.' }),
      since: { ...instant, description: 'When it began or happened.' },
      until: optional({
        ...instant,
        description: 'When that was over; absent until then, and for what does not last.',
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
  description: 'Something about the account itself; `kind` says what.',
  oneOf: [
    noticeOf('webhook_failing', `Of a webhook's newest attempts, ${FAILING_PERCENTS.join(' or ')} % fail.`, webhook, {
      url,
      percent: { type: 'integer', description: 'The share that was reached.', examples: FAILING_PERCENTS },
      attempts: count('The newest attempts that were looked at.'),
      failed: count('How many of them failed.'),
    }),
    noticeOf('webhook_disabled', 'A webhook was disabled, though not by the account itself.', webhook, {
      url,
      reason: { type: 'string', description: 'Why.' },
    }),
    noticeOf('webhook_recovered', 'A webhook works again that failed or was disabled.', webhook, { url }),
    noticeOf(
      'quota_used',
      `${QUOTA_PERCENTS.join(', ')} % of the month's quota are used.`,
      'the month, such as `2026-11`',
      {
        percent: { type: 'integer', description: 'The share that was reached.', examples: QUOTA_PERCENTS },
        used: count('Units used then.'),
        limit: count('Units in this month.'),
        resets_at: accountResponse.properties.resets_at,
      },
    ),
    noticeOf('key_expiring', `An API key expires within ${KEY_DAYS} days.`, 'the id of the key', {
      name: { type: ['string', 'null'], description: 'Its name.', examples: ['ERP'] },
      hint: { type: 'string', description: 'The first and last characters of the key.', examples: ['tk_3f1a…9f3c'] },
      expires_at: { ...instant, description: 'When it expires.' },
    }),
    noticeOf('import_ended', 'An import has ended that was no dry run.', 'the id of the import', {
      state: ended,
      file_name: { type: ['string', 'null'], description: 'The name of its file.', examples: ['orders.xlsx'] },
      registered: count('New parcels.'),
      rejected: count('Rows that were rejected.'),
    }),
    noticeOf('bulk_action_ended', 'A bulk action has ended that was no dry run.', 'the id of the bulk action', {
      state: ended,
      action: { type: 'string', description: 'What it did.', examples: ['retrack'] },
      done: count('For how many it was done.'),
      skipped: count('How many were skipped.'),
      failed: count('For how many it failed.'),
    }),
    noticeOf(
      'provider_out',
      'A provider that parcels of the account are asked of does not answer.',
      'the name of the provider',
      { provider },
    ),
    noticeOf('provider_back', 'A provider answers again that was out.', 'the name of the provider', { provider }),
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
      'What the merchant should know about the account itself, newest first: a webhook fails, was disabled or works again; the quota runs out; a key expires; an import or a bulk action has ended; a provider is out or back. Each is there once, for as long as events are kept. A webhook that names `account_notice` in `events` gets them as pushes. `text` is in the language of `lang` or `Accept-Language`, otherwise in the `lang` of the account, otherwise in English.',
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
