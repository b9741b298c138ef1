import { createBacklogWatch } from './backlog-watch.ts';

test('a growing backlog causes one warning and sets a metric, until it no longer grows', () => {
  const lines: unknown[] = [];
  const values: number[] = [];
  const log = (level: string) => (fields: object, text: string) => void lines.push([level, text, fields]);
  const watch = createBacklogWatch<'provider'>({
    logger: { warn: log('warn'), info: log('info') } as never,
    growing: { set: ({ provider }, value) => void (provider === 'acme' && values.push(value)) },
  });
  for (let n = 0; n < 6; n++) {
    watch({ provider: 'acme' }, { count: 10 + n, oldestSeconds: 60.4 + 15 * n, isIdle: true });
    watch({ provider: 'other' }, { count: 10 + n, oldestSeconds: 3, isIdle: true });
  }
  watch({ provider: 'acme' }, { count: 0, oldestSeconds: 0, isIdle: true });
  expect(values).toEqual([0, 0, 0, 1, 1, 1, 0]);
  expect(lines).toEqual([
    ['warn', expect.stringContaining('backlog grows'), { provider: 'acme', due: 13, oldestSeconds: 105 }],
    ['info', expect.stringContaining('no longer'), { provider: 'acme', due: 0, oldestSeconds: 0 }],
  ]);
});
