import type { StoredToken, TokenOwner } from '@pts/core/provider';
import { openTestDatabase } from '@pts/testing/database';
import { tokenStore } from './providers.ts';

const { db, close } = await openTestDatabase(8);
afterAll(close);

const FRESH: StoredToken = { sealed: 'sealed-1', refreshInSeconds: 90, expiresInSeconds: 100 };
const owner = (provider: string): TokenOwner => ({ provider, credentials: 'fingerprint' });
const lapse = (provider: string) =>
  db.$executeRaw`UPDATE provider_tokens SET leased_until = now() - interval '1 s' WHERE provider = ${provider}`;

test('of all processes that need the first token, one fetches it', async () => {
  const taken = await Promise.all(Array.from({ length: 20 }, () => tokenStore(db).take(owner('first'), null)));
  expect(taken.filter(({ hasLease }) => hasLease)).toHaveLength(1);
  expect(taken.every(({ token }) => token === null)).toBe(true);
});

test('a stored token is available to every process, with its remaining lifetime', async () => {
  const store = tokenStore(db);
  await store.take(owner('shared'), null);
  await store.put(owner('shared'), FRESH);
  const { hasLease, token } = await store.take(owner('shared'), null);
  expect(hasLease).toBe(false);
  expect(token?.sealed).toBe('sealed-1');
  expect(token?.refreshInSeconds).toBeLessThanOrEqual(90);
  expect(token?.expiresInSeconds).toBeGreaterThan(token?.refreshInSeconds ?? 0);
});

test('one process replaces a token, and the others use the old one until then', async () => {
  const store = tokenStore(db);
  await store.take(owner('early'), null);
  await store.put(owner('early'), { ...FRESH, refreshInSeconds: 0 });
  const taken = await Promise.all(Array.from({ length: 10 }, () => store.take(owner('early'), null)));
  expect(taken.filter(({ hasLease }) => hasLease)).toHaveLength(1);
  expect(taken.every(({ token }) => token?.sealed === 'sealed-1')).toBe(true);
});

test('an expired token is not returned', async () => {
  const store = tokenStore(db);
  await store.take(owner('expired'), null);
  await store.put(owner('expired'), { ...FRESH, refreshInSeconds: -1, expiresInSeconds: 0 });
  expect(await store.take(owner('expired'), null)).toEqual({ hasLease: true, token: null });
});

test('a refused token is replaced by one process, and only as long as it is still the stored one', async () => {
  const store = tokenStore(db);
  await store.take(owner('refused'), null);
  await store.put(owner('refused'), FRESH);
  expect(await store.take(owner('refused'), 'sealed-1')).toEqual({ hasLease: true, token: null });
  expect(await store.take(owner('refused'), 'sealed-1')).toEqual({ hasLease: false, token: null });
  await store.put(owner('refused'), { ...FRESH, sealed: 'sealed-2' });
  expect(await store.take(owner('refused'), 'sealed-1')).toMatchObject({
    hasLease: false,
    token: { sealed: 'sealed-2' },
  });
});

test('a lease ends when its process gives up, and expires when the process is gone', async () => {
  const store = tokenStore(db);
  const take = () => store.take(owner('lease'), null).then(({ hasLease }) => hasLease);
  expect([await take(), await take()]).toEqual([true, false]);
  await store.release(owner('lease'));
  expect([await take(), await take()]).toEqual([true, false]);
  await lapse('lease');
  expect([await take(), await take()]).toEqual([true, false]);
});

test('accounts of one provider have their own tokens; those long expired are deleted', async () => {
  const store = tokenStore(db);
  const [old, next] = ['old', 'next'].map((credentials) => ({ provider: 'rotated', credentials }));
  if (!old || !next) throw new Error('two accounts');
  await store.take(old, null);
  await store.put(old, { ...FRESH, refreshInSeconds: -8 * 86_400, expiresInSeconds: -8 * 86_400 });
  expect(await store.take(next, null)).toEqual({ hasLease: true, token: null });
  await store.put(next, FRESH);
  const kept = await db.providerToken.findMany({ where: { provider: 'rotated' }, select: { credentials: true } });
  expect(kept).toEqual([{ credentials: 'next' }]);
});
