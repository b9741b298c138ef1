import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createOutput } from './output.ts';

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
