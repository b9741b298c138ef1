import { type Fault, startFakeService } from '../testing/fake-service.ts';
import { runSmoke } from './run.ts';
import type { StepReport } from './steps.ts';

type Outcome = { ok: boolean; steps: StepReport[]; lines: string[]; hasWebhook: boolean };

async function outcomeOf(fault?: Fault, change: { webhook?: boolean; isFresh?: boolean } = {}): Promise<Outcome> {
  const { webhook = true, isFresh = true } = change;
  const service = await startFakeService(fault);
  const lines: string[] = [];
  try {
    const report = await runSmoke({
      baseUrl: service.url,
      apiKey: 'tk_fake',
      timeoutSeconds: fault === 'never-delivered' || fault === 'no-delivered-push' ? 1 : 60,
      receiver: webhook ? { host: '127.0.0.1', port: 0, url: null } : null,
      parcel: { number: 'SBXEXPRESS1', isFresh },
      pollMs: 10,
      graceMs: 200,
      out: (line) => lines.push(line),
    });
    const { ok, steps } = report.json as { ok: boolean; steps: StepReport[] };
    expect(report.failed).toBe(!ok);
    return { ok, steps, lines: [...lines, ...report.lines], hasWebhook: service.hasWebhook() };
  } finally {
    await service.close();
  }
}

test('on a healthy deployment, every step passes', async () => {
  const { ok, steps, lines } = await outcomeOf();
  expect(steps.filter((step) => !step.ok)).toEqual([]);
  expect(ok).toBe(true);
  expect(steps.map(({ name }) => name)).toEqual([
    'API key',
    'webhook registered',
    'signed ping',
    'parcel registered',
    'parcel delivered',
    'signed pushes',
    'delivery log',
    'quota',
  ]);
  expect(lines.filter((line) => line.startsWith('✓'))).toHaveLength(8);
  expect(lines.at(-1)).toMatch(/^All 8 steps passed in \d/);
});

test.each<[Fault, string, RegExp]>([
  ['refuses-key', 'API key', /refused with 401/],
  ['refuses-loopback', 'webhook registered', /refused with 4130/],
  ['unreachable', 'signed ping', /cannot reach/],
  ['wrong-signature', 'signed ping', /does not verify/],
  ['no-sandbox', 'parcel registered', /refused with 4121/],
  ['never-delivered', 'parcel delivered', /at the timeout it was still/],
  ['no-delivered-push', 'signed pushes', /tracking_delivered did not arrive/],
  ['push-of-another-secret', 'signed pushes', /does not verify/],
  ['empty-log', 'delivery log', /lacks 2 of 2/],
  ['log-says-500', 'delivery log', /lacks 2 of 2/],
  ['no-charge', 'quota', /the same as before/],
])('a faulty service (%s) fails at the step "%s"', async (fault, name, said) => {
  const { ok, steps, lines } = await outcomeOf(fault);
  expect(ok).toBe(false);
  expect(steps.at(-1)).toMatchObject({ name, ok: false, said: expect.stringMatching(said) });
  expect(steps.slice(0, -1).every((step) => step.ok)).toBe(true);
  expect(lines.at(-1)).toBe(`Failed at: ${name}`);
});

test.each<[string, Fault | undefined]>([
  ['a story that held', undefined],
  ['one that failed', 'wrong-signature'],
])('after %s the webhook is removed', async (_story, fault) => {
  expect((await outcomeOf(fault)).hasWebhook).toBe(false);
});
