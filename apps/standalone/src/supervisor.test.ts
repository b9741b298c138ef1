import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createClosing, createOutput } from './supervisor.ts';

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

function captured(colourful: boolean) {
  const lines: string[] = [];
  return { lines, output: createOutput({ write: (text: string) => lines.push(text) }, colourful) };
}

test('every line has the name of its process in front', () => {
  const { lines, output } = captured(false);
  output.line('api', 'one');
  output.line('dispatcher', 'two');
  output.plain('three');
  expect(lines).toEqual(['api        | one\n', 'dispatcher | two\n', 'three\n']);
});

test('a stream is split into lines, wherever its chunks end', async () => {
  const { lines, output } = captured(false);
  const stream = new PassThrough();
  const heard: string[] = [];
  output.lines('api', stream, (text) => heard.push(text));
  for (const chunk of ['on', 'e\ntw', 'o\nrest']) stream.write(chunk);
  stream.end();
  await finished(stream);
  expect(heard).toEqual(['one', 'two', 'rest']);
  expect(lines).toEqual(['api        | one\n', 'api        | two\n', 'api        | rest\n']);
});

test('on a terminal each name has its own colour', () => {
  const { lines, output } = captured(true);
  for (const name of ['api', 'poller', 'api']) output.line(name, 'x');
  expect(lines[0]).toBe(lines[2]);
  expect(lines[0]).not.toBe(lines[1]?.replace('poller', 'api   '));
});
