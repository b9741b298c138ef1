import type { BacklogLook } from '@pts/core/process/backlog';
import { createBacklogWatch, lookEveryMs } from './backlog-watch.ts';

const LOOK: BacklogLook = { oldestSeconds: 0, isFailing: false, isHeldBack: false };

function setUp() {
  const lines: unknown[] = [];
  const values: (number | 'absent')[] = [];
  const log = (level: string) => (fields: object, text: string) => void lines.push([level, text, fields]);
  const keep = (provider: string, value: number | 'absent') => void (provider === 'acme' && values.push(value));
  const watch = createBacklogWatch<'provider'>({
    logger: { warn: log('warn'), info: log('info') } as never,
    growing: {
      set: ({ provider }, value) => keep(provider, value),
      remove: ({ provider }) => keep(provider, 'absent'),
    },
  });
  return { lines, values, watch };
}

test('a growing backlog causes one warning and sets a metric, until it no longer grows', () => {
  const { lines, values, watch } = setUp();
  for (let n = 0; n < 6; n++) {
    watch.look({ provider: 'acme' }, { ...LOOK, oldestSeconds: 60.4 + 15 * n });
    watch.look({ provider: 'other' }, { ...LOOK, oldestSeconds: 3 });
  }
  expect(watch.details()).toEqual({ acme: expect.stringMatching(/^growing: .* due for 135 s$/), other: 'ok' });
  watch.look({ provider: 'acme' }, LOOK);
  expect(values).toEqual([0, 0, 0, 1, 1, 1, 0]);
  expect(lines).toEqual([
    ['warn', expect.stringContaining('waits longer'), { provider: 'acme', finding: 'growing', oldestSeconds: 105 }],
    ['info', expect.stringContaining('done again'), { provider: 'acme', oldestSeconds: 0 }],
  ]);
  expect(watch.details()).toEqual({ acme: 'ok', other: 'ok' });
});

test('a backlog that cannot be read is unknown at once, not what it last was, and soon an alarm', () => {
  const { lines, values, watch } = setUp();
  watch.look({ provider: 'acme' }, LOOK);
  for (let n = 0; n < 4; n++) {
    watch.look({ provider: 'acme' }, { ...LOOK, oldestSeconds: null });
    expect(watch.details()).toEqual({ acme: 'unknown: the database does not say what is due' });
  }
  watch.look({ provider: 'acme' }, LOOK);
  expect(values).toEqual([0, 'absent', 'absent', 'absent', 1, 0]);
  expect(lines).toEqual([
    ['warn', expect.any(String), expect.objectContaining({ finding: 'unknown' })],
    ['info', expect.any(String), expect.anything()],
  ]);
});

test('due work is looked at before its figures vanish, however rare the sweeps are', () => {
  expect([20, 1000, 30_000].map(lookEveryMs)).toEqual([300, 15_000, 15_000]);
});
