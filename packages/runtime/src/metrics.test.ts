import { clusterGauge, createRegistry, jobFaults } from './metrics.ts';

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

test('every process says which release it is', async () => {
  const text = await createRegistry('test').getSingleMetricAsString('pts_build_info');
  expect(text).toContain(`pts_build_info{version="source",node="${process.version}",app="test"} 1`);
});

test('a figure without labels is absent until it is known, and once it is not any more', async () => {
  const failing = clusterGauge(createRegistry('test'), { name: 'pts_failing', help: 'Failing.' });
  const shown = async () => (await failing.get()).values.map(({ value }) => value);
  expect(await shown()).toEqual([]);
  failing.set({}, 3);
  expect(await shown()).toEqual([3]);
  failing.reset();
  expect(await shown()).toEqual([]);
});

test('the faults of a job are known as zero before the first one, so that its increase is seen', async () => {
  const registry = createRegistry('test');
  jobFaults(registry, ['query', 'import']);
  const text = await registry.getSingleMetricAsString('pts_job_faults_total');
  expect(text).toContain('{job="query",app="test"} 0');
  expect(text).toContain('{job="import",app="test"} 0');
});
