import { createClosing } from './closing.ts';

test('started parts are closed in reverse order, once', async () => {
  const closing = createClosing(() => {});
  const undone: string[] = [];
  closing.add(() => undone.push('first'));
  closing.add(async () => undone.push('second'));
  expect(closing.hasBegun()).toBe(false);
  await Promise.all([closing.run(), closing.run()]);
  expect(undone).toEqual(['second', 'first']);
  expect(closing.hasBegun()).toBe(true);
});

test('a failing cleanup is reported, and does not stop the others', async () => {
  const failures: unknown[] = [];
  const closing = createClosing((error) => failures.push(error));
  const undone: string[] = [];
  closing.add(() => undone.push('first'));
  closing.add(() => Promise.reject('no'));
  await closing.run();
  expect(undone).toEqual(['first']);
  expect(failures).toEqual(['no']);
});

test('force uses the immediate variant of every step', () => {
  const closing = createClosing(() => {});
  const forced: string[] = [];
  closing.add(
    () => {},
    () => forced.push('one'),
  );
  closing.add(() => {});
  closing.force();
  expect(forced).toEqual(['one']);
});
