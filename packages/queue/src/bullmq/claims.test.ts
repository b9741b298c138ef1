import { type Claimed, createClaims } from './claims.ts';

/** A store of active jobs, whose answers may be lost. */
function storeOf(...underWay: Claimed[]) {
  let breaks = 0;
  let now = 0;
  const requested: string[][] = [];
  const claims = createClaims(
    {
      find: async (tokens) => {
        requested.push(tokens);
        return underWay.filter(({ token }) => tokens.includes(token));
      },
      giveBack: async ({ id }) =>
        void underWay.splice(
          underWay.findIndex((job) => job.id === id),
          1,
        ),
      breaks: () => breaks,
    },
    () => now,
  );
  const claim = (token: string, id: string) =>
    claims.run(
      token,
      async () => {
        underWay.push({ id, token });
        return id;
      },
      (result) => result,
    );
  const lose = (token: string, id: string) =>
    claims.run(
      token,
      async () => {
        underWay.push({ id, token });
        throw new Error('connection lost');
      },
      () => undefined,
    );
  return {
    claims,
    claim,
    lose,
    requested,
    ids: () => underWay.map(({ id }) => id),
    breakConnection: () => {
      breaks += 1;
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('a job whose claim was never answered is put back', async () => {
  const store = storeOf({ id: 'of another', token: 'x' });
  await expect(store.lose('a', '1')).rejects.toThrow('connection lost');
  await store.claims.settle();
  expect(store.ids()).toEqual(['of another']);
});

test('of a request that was sent twice, the job whose answer arrived is kept and the other is put back', async () => {
  const store = storeOf({ id: '1', token: 'a' }, { id: '2', token: 'a' });
  const request = async () => {
    store.breakConnection();
    return '2';
  };
  await store.claims.run('a', request, (id) => id);
  await store.claims.settle();
  expect(store.ids()).toEqual(['2']);
});

test('a token is not checked while a request with it is in flight', async () => {
  const store = storeOf();
  await store.lose('a', '1').catch(() => {});
  await store.claims.run(
    'a',
    () => store.claims.settle(),
    () => undefined,
  );
  expect(store.requested).toEqual([]);
});

test('a lost request that the server executes late is handled for some seconds, and not after that', async () => {
  const store = storeOf();
  await store.lose('a', '1').catch(() => {});
  for (const ms of [1000, 2000, 3000, 1000]) {
    await store.claims.settle();
    store.pass(ms);
  }
  await store.claims.settle();
  await store.claims.settle();
  expect(store.requested).toHaveLength(4);
});

test('without outages, no query is made', async () => {
  const store = storeOf();
  await store.claim('a', '1');
  await store.claims.settle();
  expect(store.requested).toEqual([]);
});
