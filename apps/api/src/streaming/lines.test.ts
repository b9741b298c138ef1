import { type Line, linesOf } from './input.ts';

async function read(chunks: (string | Buffer)[], maxBytes = 20): Promise<Line[]> {
  const body = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  })();
  return collect(linesOf(body, maxBytes));
}
async function collect(lines: AsyncIterable<Line[]>): Promise<Line[]> {
  const all: Line[] = [];
  for await (const some of lines) all.push(...some);
  return all;
}
const text = (line: string) => ({ text: line });

test('lines may be cut anywhere, also within a letter', async () => {
  const bytes = Buffer.from('晴川1\n晴川2\r\n\n  \n3');
  const wanted = ['晴川1', '晴川2', '3'].map(text);
  for (let cut = 0; cut <= bytes.length; cut++)
    expect(await read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(wanted);
});

test('a line that is too long is skipped, however it arrives, and the next ones are read', async () => {
  const long = 'x'.repeat(21);
  expect(await read([`a\n${long}\nb`])).toEqual([text('a'), { fault: 'too_long' }, text('b')]);
  expect(await read([...`a\n${long}\nb`])).toEqual([text('a'), { fault: 'too_long' }, text('b')]);
  expect(await read([`${'x'.repeat(20)}\n`])).toEqual([text('x'.repeat(20))]);
});

test('a line that is not UTF-8 is reported as such', async () => {
  expect(await read([Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x0a, 0x62])])).toEqual([
    text('a'),
    { fault: 'not_utf8' },
    text('b'),
  ]);
});

test('a body without a line has none', async () => {
  expect(await read([])).toEqual([]);
  expect(await read(['\n\n'])).toEqual([]);
});

test('blank lines are skipped without being copied, however many there are', async () => {
  const chunk = Buffer.from(`${'\n \t\r\n'.repeat(50_000)}1\n${'  \n'.repeat(50_000)}`);
  let cuts = 0;
  chunk.subarray = (from, to) => {
    cuts += 1;
    return Buffer.prototype.subarray.call(chunk, from, to);
  };
  const body = (async function* () {
    yield* [chunk, Buffer.from(' \n2')];
  })();
  expect(await collect(linesOf(body, 20))).toEqual([text('1'), text('2')]);
  expect(cuts).toBeLessThan(10);
});

test('a line of other spaces counts as a line: it costs as much', async () => {
  expect(await read(['\u3000\n\u00a0\n1'])).toEqual([text(''), text(''), text('1')]);
});

test('a line that arrives byte by byte, and a million empty ones, are read like any other', async () => {
  const body = (async function* () {
    for (let n = 0; n < 100_000; n++) yield Buffer.from('x');
    yield Buffer.from('\nend');
  })();
  expect(await collect(linesOf(body, 16_384))).toEqual([{ fault: 'too_long' }, text('end')]);
  expect(await read(['\n'.repeat(1_000_000), 'a'])).toEqual([text('a')]);
});
