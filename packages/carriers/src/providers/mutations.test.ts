import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { response } from '../testing/answers.ts';
import { PROVIDERS } from './index.ts';

const OTHER_VALUES = [null, 'soon', [], {}];
/** One in turn for each answer: mostly those that are read. */
const STATUSES = [200, 200, 207, 200, 404];

/** A JSON value with each of its parts replaced by something else, one at a time. */
function* mutated(value: unknown): Generator<unknown> {
  yield* OTHER_VALUES;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    for (const other of mutated(part)) {
      yield Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other };
    }
  }
}

/** A text without each of its lines, one at a time. */
const shortened = (text: string) => text.split('\n').map((_, i, lines) => lines.toSpliced(i, 1).join('\n'));

function textsOf(file: URL): string[] {
  const text = readFileSync(file, 'utf8');
  if (!file.pathname.endsWith('.json')) return shortened(text);
  return Array.from(mutated(JSON.parse(text)), (each) => JSON.stringify(each));
}

const FOLDERS = PROVIDERS.flatMap((manifest) => {
  const folder = new URL(`./${manifest.name}/fixtures/`, import.meta.url);
  return existsSync(folder) ? [[manifest.name, folder, manifest] as const] : [];
});

test.each(FOLDERS)(
  '%s reads whatever it is answered, and answers each number',
  (_name, folder, { parse, carriers }) => {
    const [carrier = ''] = Object.keys(carriers);
    const files = readdirSync(folder).filter((file) => file !== 'expected.json');
    const texts = files.flatMap((file) => textsOf(new URL(file, folder)));
    const unanswered = texts.filter((text, i) => {
      const asked = (i % 2 === 0 ? ['A1'] : ['A1', 'B2']).map((number) => ({ number, carrier }));
      return parse(response(text, STATUSES[i % STATUSES.length]), asked).length !== asked.length;
    });
    expect(unanswered).toEqual([]);
  },
);
