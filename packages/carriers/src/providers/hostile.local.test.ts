import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isObject } from '../http/json.ts';
import { PROVIDERS } from './index.ts';

const STATUSES = [200, 404];
const VALUES = [null, 7, 'x', [null], {}];

/** Broken versions of the answers that a provider's fixtures hold. */
function* brokenFixturesOf(name: string): Generator<string> {
  const folder = new URL(`./${name}/fixtures/`, import.meta.url);
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file !== 'expected.json') : [];
  for (const file of files) {
    const text = readFileSync(new URL(file, folder), 'utf8');
    if (file.endsWith('.xml')) yield* shortened(text);
    else for (const body of broken(JSON.parse(text))) yield JSON.stringify(body);
  }
}

/** A text without each of its lines, and each line on its own. */
function* shortened(text: string): Generator<string> {
  const lines = text.split('\n');
  for (const [i, line] of lines.entries()) yield* [lines.toSpliced(i, 1).join('\n'), line];
}

/** Every version of a value in which one part, at any depth, is another value or missing. */
function* broken(value: unknown): Generator<unknown> {
  yield* VALUES;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) for (const other of broken(item)) yield value.with(i, other);
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      const { [name]: _, ...rest } = value;
      yield rest;
      for (const other of broken(item)) yield { ...value, [name]: other };
    }
  }
}

test.each(PROVIDERS.map((manifest) => [manifest.name, manifest] as const))(
  'whichever part of an answer is broken, %s gives one answer for each number and does not throw',
  (name, { parse, carriers }) => {
    const [carrier = ''] = Object.keys(carriers);
    const requested = ['A1', 'B2'].map((number) => ({ number, carrier }));
    const wrong: string[] = [];
    for (const text of brokenFixturesOf(name)) {
      for (const status of STATUSES) {
        const outcome = { kind: 'response', status, headers: {}, text } as const;
        if (parse(outcome, requested).length !== requested.length) wrong.push(text);
      }
    }
    expect(wrong).toEqual([]);
  },
);
