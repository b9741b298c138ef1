import { DeadlineError } from './pool.ts';

test('says how long it waited in whole milliseconds, also for a fraction', () => {
  expect(new DeadlineError(7999.952170000004).message).toBe('the database has not answered within 8000 ms');
});
