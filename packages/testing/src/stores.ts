import type { Store } from '@pts/queue/connection';

/** Both stores of the queue, for `describe.each(stores())`: what uses the queue is tested on each. */
export function stores(): Store[] {
  return ['redis', 'postgres'];
}

/** The `REDIS_URL` for a store: the tests' Redis, or none. */
export function redisUrlOn(store: Store): string | undefined {
  return store === 'redis' ? testServer('TEST_REDIS_URL') : undefined;
}

type Variable = 'TEST_DATABASE_URL' | 'TEST_REDIS_URL';

/** The addresses of the tests' servers. `npm test` starts them and sets these variables. */
export function testServer(variable: Variable): string {
  return given(variable);
}

/** Whether there is such a server: other programs use helpers of tests, too. */
export function hasTestServer(variable: Variable): boolean {
  return Boolean(process.env[variable]);
}

/** A folder for what the tests of a run share. `npm test` creates it, and removes it in the end. */
export function testFolder(): string {
  return given('TEST_FOLDER');
}

function given(variable: string): string {
  const value = process.env[variable];
  if (value) return value;
  throw new Error(
    `${variable} is not set: run \`npm test -- <path of the test>\`, which starts the servers that tests need`,
  );
}
