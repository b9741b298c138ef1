import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limitsOf, needsOf } from './capacity.ts';
import { tablesOf } from './tables.ts';
import { LINES, readUnits, type Units } from './units.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const BENCHMARKS = readFileSync(join(DOCS, 'benchmarks.md'), 'utf8');

const UNITS: Units = {
  check: { pollerUs: 60, postgresUs: 20, redisUs: 10, walBytes: 100 },
  event: { cpuUs: 3000, postgresUs: 1000, walBytes: 5000 },
  rows: { trackingBytes: 2000, checkBytes: 400, messageBytes: 1500, attemptBytes: 500 },
};
/** 10,000 checks a second, and 57.87 events. */
const PARCELS = 3_000_000;

test('needs follow from checks every five minutes, and five events in three days', () => {
  const needs = needsOf(PARCELS, UNITS);
  expect(needs).toMatchObject({ checksPerSecond: 10_000, batchedCallsPerSecond: 250, pollers: 1, redisCores: 0.1 });
  expect(needs.eventsPerSecond).toBeCloseTo(57.87, 2);
  expect(needs.registrationsPerSecond).toBeCloseTo(57.87 / 5, 2);
  expect(needs.cores).toBeCloseTo(0.9 + 57.87 * 0.003, 3);
  expect(needs.postgresCores).toBeCloseTo(0.2 + 57.87 * 0.001, 3);
  expect(needs.walBytesPerSecond).toBeCloseTo(1_000_000 + 57.87 * 5000, -2);
  expect(needs.parcelBytes).toBeCloseTo(7.2e9, -3);
  // 150 million events in 30 days, of 2 KB each.
  expect(needs.historyBytes).toBeCloseTo(3e11, -3);
  expect(needs.restoreHours).toBeCloseTo(307.2e9 / 500e6 / 3600, 6);
});

test('a second poller is needed when one thread would be busy for more than 60 %', () => {
  const pollers = (parcels: number) => needsOf(parcels, UNITS).pollers;
  expect([pollers(3_000_000), pollers(3_000_001)]).toEqual([1, 2]);
});

test('what carries the fewest parcels comes first', () => {
  const limits = limitsOf(UNITS);
  expect(limits[0]?.what).toMatch(/^a carrier that allows 10 calls a second/);
  expect(limits[0]?.parcels).toBeCloseTo(3000, 6);
  expect(limits[1]?.what).toMatch(/^one poller/);
  expect(limits[1]?.parcels).toBeCloseTo(3_000_000, 0);
  // 100,000 checks a second of 10 µs fill a thread.
  expect(limits.find(({ what }) => what.startsWith('one Redis'))?.parcels).toBeCloseTo(30_000_000, 0);
  const parcels = limits.map((limit) => limit.parcels);
  expect(parcels).toEqual(parcels.toSorted((a, b) => a - b));
});

test('the units are those of the benchmarks', () => {
  const { check, event, rows } = readUnits(BENCHMARKS);
  expect(check.pollerUs).toBeCloseTo(59, 0);
  expect(check.postgresUs).toBeCloseTo(24, 0);
  expect(check).toMatchObject({ redisUs: 7, walBytes: 130 });
  expect(event.cpuUs).toBe(3500);
  expect(event.postgresUs).toBeGreaterThan(0);
  expect(event.postgresUs).toBeLessThan(event.cpuUs);
  expect(event.walBytes).toBeGreaterThan(rows.messageBytes + rows.attemptBytes);
});

test.each(Object.entries(LINES))('the benchmarks without %s are refused', (_name, line) => {
  expect(() => readUnits(BENCHMARKS.replace(line, ''))).toThrow(/has no line like/);
});

test('the tables of the scaling guide are made from the benchmarks', () => {
  const guide = readFileSync(join(DOCS, 'scaling.md'), 'utf8');
  const { needs, limits } = tablesOf(readUnits(BENCHMARKS));
  expect(guide).toContain(needs);
  expect(guide).toContain(limits);
});
