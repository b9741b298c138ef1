import { type BulkCounts, countOutcome } from './bulk-actions.ts';

test('what was left as it is counts by its reason, with the first five ids', () => {
  const counts: BulkCounts = { done: 0, skipped: 0, failed: 0, reasons: [] };
  countOutcome(counts, 'a', 'done');
  for (const id of ['b', 'c', 'd', 'e', 'f', 'g']) countOutcome(counts, id, 'retracked');
  countOutcome(counts, 'h', 'expired');
  expect(counts).toEqual({
    done: 1,
    skipped: 6,
    failed: 1,
    reasons: [
      { reason: 'retracked', count: 6, sample: ['b', 'c', 'd', 'e', 'f'] },
      { reason: 'expired', count: 1, sample: ['h'] },
    ],
  });
});
