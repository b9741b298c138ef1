import { clusterGauge, createRegistry } from './metrics.ts';

test('a figure of the installation vanishes a minute after it was last set', async () => {
  const registry = createRegistry('test');
  let ms = 0;
  const due = clusterGauge(registry, { name: 'pts_due', help: 'Due.', labels: ['provider'] }, () => ms);
  const shown = async () => (await due.get()).values.map(({ labels, value }) => [labels.provider, value]);
  due.set({ provider: 'ups' }, 5);
  ms = 30_000;
  due.set({ provider: 'dhl' }, 7);
  ms = 60_000;
  expect(await shown()).toEqual([
    ['ups', 5],
    ['dhl', 7],
  ]);
  ms = 60_001;
  expect(await shown()).toEqual([['dhl', 7]]);
  due.set({ provider: 'ups' }, 0);
  expect(await shown()).toContainEqual(['ups', 0]);
  due.reset();
  expect(await shown()).toEqual([]);
});
