import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callsOn, statementsIn } from './testing/statement-sources.ts';

/**
 * Statements about all accounts, or whose account is not known before, and why. All others name the account of each of
 * their tables, so that a distributed PostgreSQL sends them to one shard.
 */
const ACROSS_ACCOUNTS: Record<string, readonly string[]> = {
  'claims and sweeps take what is due at a provider, whoever has it': [
    'checks/schedule.ts readBacklogs',
    'checks/schedule.ts claimDue',
    'checks/schedule.ts claiming',
    'checks/schedule.ts headsOf',
    'checks/schedule.ts moveDueChecks',
    'checks/schedule.ts moveUnknownChecks',
    'checks/schedule.ts leaveSafetyNet',
    'checks/schedule.ts findExpired',
    'checks/schedule.ts readSlots',
    'checks/schedule.ts findWaitingUndecided',
    'providers.ts healthStatement',
    'providers.ts released',
    'providers.ts takeProbe',
  ],
  'sweeps find whose work is due': [
    'attention.ts WANTED',
    'attention.ts claimWatches',
    'attention.ts followAttention',
    'deliveries/pending.ts endDropping',
    'deliveries/pending.ts pendingEndpoints',
    'deliveries/pending.ts sendNotices',
    'deliveries/send-again.ts REPLAY_OF_ENDPOINT',
    'notices.ts findBack',
    'notices.ts findFailing',
    'notices.ts findRecovered',
    'notices.ts noteOut',
    'run-leases.ts dueRuns',
    'stats.ts NEWEST',
    'stats.ts UP_TO_DATE',
    'stats.ts deliveredUpTo',
    'stats.ts fold',
  ],
  'callbacks bring the news of a number, whoever watches it': [
    'subscriptions.ts recordOutcomes',
    'subscriptions.ts awaitCallbacks',
    'subscriptions.ts findWatched',
    'subscriptions.ts noteCallback',
    'subscriptions.ts countOverdue',
    'subscriptions.ts loadWanted',
    'subscriptions.ts IS_WATCHED',
  ],
  'the account is looked up': [
    // A buyer's link is a token of the parcel.
    'pages.ts findLookupShop',
    'pages.ts pageOf',
  ],
  'a place in the history is found by its time, of which any row tells': [
    'deliveries/log.ts newestRecord',
    'deliveries/send-again.ts boundsOf',
  ],
  'its grams contain the account, and PostgreSQL must not read all parcels of it': ['shipments.ts bySearch'],
  'its parcels are those of the account, of which PostgreSQL without statistics would read all messages': [
    'deliveries/pending.ts supersedePending',
  ],
  'old rows are deleted': [
    'accounts/idempotency-keys.ts forgetKeys',
    'bulk-actions.ts forgetBulkActions',
    'deliveries/retention.ts pruneAttempts',
    'deliveries/retention.ts pruneMessages',
    'deliveries/retention.ts pruneReplays',
    'imports.ts forgetImports',
    'learned-prefixes.ts forgetLearned',
    'notices.ts forgetNotices',
    'stats.ts pruneStats',
    'trackings/records.ts forgetRemoved',
  ],
  'the parcels of all accounts teach how long a lane takes': ['lanes.ts learnLanes', 'lanes.ts readDelivered'],
  'operators ask': [
    'diagnosis.ts failingEndpoints',
    'diagnosis.ts parcelOf',
    'trackings/records.ts locateTrackings',
    'webhooks.ts webhooksOfAnyone',
  ],
  'operators change or move what is stored, or its key': [
    'accounts/personal-data.ts insertFrom',
    'accounts/personal-data.ts traces',
    'encryption.ts idempotencyKeys',
    'encryption.ts webhooks',
  ],
  'the carriers that all accounts found teach each of them': ['learned-prefixes.ts findLearned'],
  'the rows that are stored again name their account': ['trackings/records.ts restoreTrackings'],
  'a benchmark reads the schedule': ['trackings/seed.ts readDueTimes'],
};

const here = import.meta.dirname;
const schema = readFileSync(join(here, '../../../prisma/schema.prisma'), 'utf8');
/** Keys and members are looked up to learn whose a request or a sign-in is; the audit log is also the operators'. */
const OF_NO_ACCOUNT = ['ApiKey', 'Member', 'AuditEntry'];
/** Tables with rows of accounts, by their models. */
const TABLES = new Map(
  [...schema.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)].flatMap(([, model = '', body = '']) => {
    const [, table] = /@@map\("(\w+)"\)/.exec(body) ?? [];
    const isOwned = body.includes('@map("account_id")') && !OF_NO_ACCOUNT.includes(model);
    return table !== undefined && isOwned ? [[model, table] as const] : [];
  }),
);
const sources = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !/^(?:generated|testing)\b/.test(name))
  .map((name) => [name, readFileSync(join(here, name), 'utf8')] as const);

const tables = [...TABLES.values()];
const models = [...TABLES.keys()].map((model) => `${model.charAt(0).toLowerCase()}${model.slice(1)}`);

/** The places in a source that read or write a table without its account. */
function withoutAccount(source: string): string[] {
  return [...statementsIn(source, tables), ...callsOn(source, models)]
    .filter(({ unbound }) => unbound.length > 0)
    .map(({ place }) => place);
}

test('each statement names the account of its tables, unless it is known to be about several', () => {
  expect(tables).toContain('checks');
  const found = sources.flatMap(([name, source]) => withoutAccount(source).map((place) => `${name} ${place}`));
  expect([...new Set(found)].sort()).toEqual(Object.values(ACROSS_ACCOUNTS).flat().sort());
});

/** A source with a statement, in which braces are expressions. */
const sql = (text: string) => `function f() {\n  return Prisma.sql\`${text.replaceAll('{', '${')}\`;\n}\n`;

test.each([
  ['SELECT 1 FROM public.checks WHERE tracking_id = ANY({ids})'],
  ['UPDATE public.checks c SET slot = NULL FROM p WHERE c.tracking_id = p.id'],
  // Joined by their accounts, of which none is given.
  ['SELECT 1 FROM public.checks c JOIN public.trackings t ON t.id = c.tracking_id AND t.account_id = c.account_id'],
  ['SELECT 1 FROM public.trackings t JOIN public.checks c ON c.tracking_id = t.id WHERE t.account_id = {accountId}'],
  // The condition is another table's, in an inner or an outer statement.
  [
    'SELECT 1 FROM public.checks WHERE provider = (SELECT provider FROM public.trackings WHERE account_id = {accountId})',
  ],
  [
    'DELETE FROM public.messages WHERE account_id = {a} AND id = ANY (SELECT message_id FROM public.deliveries WHERE id = 1)',
  ],
  ['SELECT 1 FROM public.imports WHERE account_id = {a} UNION ALL SELECT 1 FROM public.replays'],
  ['SELECT account_id FROM public.checks -- account_id = {a}'],
  ['INSERT INTO public.messages (id, body) VALUES (1, 2)'],
  ['SELECT 1 FROM public.trackings t JOIN public.accounts a ON a.id = t.account_id WHERE t.id = {id}'],
  ['SELECT {list} FROM {table} r WHERE r.id = {id}'],
])('a statement without the account is found: %s', (text) => {
  expect(withoutAccount(sql(text))).toEqual(['f']);
});

test.each([
  ['SELECT 1 FROM public.checks WHERE tracking_id = {id} AND account_id = {accountId}'],
  ['UPDATE public.checks c SET slot = NULL FROM p WHERE c.tracking_id = p.id AND c.account_id = p.account_id'],
  ['DELETE FROM public.checks c WHERE c.account_id = ANY({accounts}::text[])'],
  [
    'SELECT 1 FROM public.trackings t JOIN public.checks c ON c.account_id = t.account_id AND c.tracking_id = t.id WHERE {accountId} = t.account_id',
  ],
  [
    'SELECT 1 FROM public.trackings t, LATERAL (SELECT 1 FROM public.checks WHERE account_id = t.account_id) c WHERE t.account_id = $1',
  ],
  ['INSERT INTO public.messages (id, account_id) SELECT 1, 2'],
  ['SELECT 1 FROM public.subscriptions WHERE tracking_number = {number}'],
])('a statement with the account is not: %s', (text) => {
  expect(withoutAccount(sql(text))).toEqual([]);
});

test.each([
  ['db.tracking.findUnique({ where: { id }, select: { accountId: true } })', ['f']],
  ['tx.check.deleteMany({ where: { trackingId: { in: ids } } })', ['f']],
  ['db.webhook.findMany({ where })', ['f']],
  ['db.deliveryAttempt.findFirst({ orderBy: { id: "desc" } })', ['f']],
  ['db.message.findFirst({ where: { id, accountId }, include: { deliveries: true } })', ['f']],
  ['db.tracking.findFirst({ where: { id, accountId } })', []],
  ['db.import.updateMany({ where: { ...run, state }, data })', []],
  ['tx.check.upsert({ where: { trackingId: id }, create: { trackingId: id, accountId }, update: {} })', []],
  ['db.providerPause.findMany({ where: { provider } })', []],
])('so is a call of Prisma: %s', (call, expected) => {
  expect(withoutAccount(`async function f() {\n  await ${call};\n}\n`)).toEqual(expected);
});
