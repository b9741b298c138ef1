import { ROLES, type Role } from '@pts/core/account';
import { waitingForLocks } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newAccount } from '@pts/testing/factories';
import { addMember, changeMember, removeMember, startSession } from './members.ts';
import { startTestService } from './testing/test-service.ts';

const NOW = new Date('2031-04-05T06:00:00Z');

let ctx: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  ctx = await startTestService(() => NOW);
});
afterAll(() => ctx.close());

const add = (accountId: string, role: Role) =>
  addMember({ ...ctx, hasSignIn: true }, accountId, { email: `${freshNumber()}@example.com`, role }, null);

/** The result of what begins before a change is committed, or the error with which it fails. */
async function during(change: (held: typeof ctx) => Promise<unknown>, other: () => Promise<unknown>): Promise<unknown> {
  let result: Promise<unknown> | undefined;
  const $transaction = ((work: (tx: never) => Promise<unknown>) =>
    ctx.db.$transaction(async (tx) => {
      const changed = await work(tx as never);
      let isOver = false;
      result = other()
        .catch((error: unknown) => error)
        .finally(() => {
          isOver = true;
        });
      await eventually(async () => expect(isOver || (await waitingForLocks(ctx.databaseUrl)).length > 0).toBe(true));
      return changed;
    })) as unknown as typeof ctx.db.$transaction;
  await change({ ...ctx, db: { ...ctx.db, $transaction } });
  return result;
}

test('of two administrators who are removed or demoted at once, one stays', async () => {
  for (const role of [null, 'viewer'] as const) {
    const accountId = await newAccount(ctx.db, NOW);
    const [one, other] = [await add(accountId, 'admin'), await add(accountId, 'admin')];
    const end = (context: typeof ctx, { id }: { id: string }): Promise<unknown> =>
      role === null
        ? removeMember(context, { accountId, id }, null)
        : changeMember(context, { accountId, id, role }, null);
    const refused = await during(
      (held) => end(held, one),
      () => end(ctx, other),
    );
    expect(refused).toMatchObject({ error: 'conflict' });
  }
});

test('a session that begins while its member gets another role, or is removed, has that role, or is none', async () => {
  const accountId = await newAccount(ctx.db, NOW);
  const { id, email } = await add(accountId, 'editor');
  const person = { subject: freshNumber(), email, name: null };
  const signIn = (session: string) => startSession(ctx, { id: session, accountId, person, ip: null });
  await during(
    (held) => changeMember(held, { accountId, id, role: 'viewer' }, null),
    () => signIn('1'),
  );
  expect(await ctx.db.apiKey.findMany({ where: { memberId: id } })).toMatchObject([{ scopes: ROLES.viewer }]);
  const none = await during(
    (held) => removeMember(held, { accountId, id }, null),
    () => signIn('2'),
  );
  expect(none).toBeNull();
});
