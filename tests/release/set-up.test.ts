import { eventually } from '@pts/testing/eventually';
import { newCheckout, type Started } from '../support/checkout.ts';
import { processesOf } from '../support/service.ts';

let checkout: ReturnType<typeof newCheckout>;
let started: Started[];
beforeEach(() => {
  checkout = newCheckout();
  started = [];
});
afterEach(() => {
  for (const { child } of started) signalGroup(child.pid, 'SIGKILL');
  checkout.remove();
});

function track(one: Started): Started {
  started.push(one);
  return one;
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch {
    // Already gone.
  }
}

const installing = () => eventually(() => expect(checkout.log()).toContain('begun'));
const nothingRuns = () => eventually(() => expect(processesOf(checkout.dir)).toEqual([]));

async function nextStartWorks(): Promise<void> {
  checkout.write('go', '');
  const next = track(checkout.npmStart());
  await next.ended;
  expect(next.output()).toContain('the service runs');
  expect(next.output()).not.toContain('Waiting for another');
}

describe('when stopped during the set-up, npm start ends its child processes, and the next one works', () => {
  test('by Ctrl-C in the terminal', async () => {
    const { child, ended } = track(checkout.npmStart());
    await installing();
    signalGroup(child.pid, 'SIGINT');
    expect((await ended).code).not.toBe(0);
    await nothingRuns();
    expect(checkout.has('.cache/setup.lock')).toBe(false);
    await nextStartWorks();
  });

  test('by SIGKILL to npm alone', async () => {
    const { child, ended } = track(checkout.npmStart());
    await installing();
    child.kill('SIGKILL');
    await ended;
    await nothingRuns();
    expect(checkout.has('.cache/setup.lock')).toBe(false);
    await nextStartWorks();
  });

  test('by SIGKILL to itself, when only the lock is left', async () => {
    const { child } = track(checkout.nodeStart());
    await installing();
    child.kill('SIGKILL');
    await nothingRuns();
    expect(checkout.has('.cache/setup.lock')).toBe(true);
    await nextStartWorks();
  });

  test('with the exit status of an interruption and one line that says so', async () => {
    const { child, ended, output } = track(checkout.nodeStart());
    await installing();
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: null, signal: 'SIGINT' });
    expect(output()).toMatch(
      /^Installing dependencies \(npm ci, one to three minutes\) \.*\nSIGINT: stopping the set-up; the next command repeats this step\n$/,
    );
  });
});

test('the lock of a process whose number now belongs to another one is ignored', async () => {
  checkout.write('.cache/setup.lock', `${process.pid} 1`);
  await nextStartWorks();
});

test('two starts at once: one installs, the other says which process it waits for', async () => {
  const first = track(checkout.nodeStart());
  await installing();
  const second = track(checkout.nodeStart());
  await eventually(() =>
    expect(second.output()).toBe(`Waiting for another set-up of this checkout to finish (pid ${first.child.pid})\n`),
  );
  checkout.write('go', '');
  await Promise.all([first.ended, second.ended]);
  expect([first.output(), second.output()]).toEqual([
    expect.stringContaining('the service runs'),
    expect.stringContaining('the service runs'),
  ]);
  expect(checkout.log()).toEqual(['begun', 'installed']);
});

test('leftovers of an interrupted installation are removed, once', async () => {
  checkout.write('node_modules/left-over/file', '');
  await nextStartWorks();
  expect(checkout.log()).toEqual(['in the way', 'begun', 'installed']);
});
