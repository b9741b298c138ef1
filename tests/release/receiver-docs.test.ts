import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lacking, testWith } from '../support/languages/languages.ts';
import { findPhp } from '../support/languages/php.ts';

type Vector = {
  name: string;
  secret: string | string[];
  now: number;
  headers: Record<string, string>;
  rawBody: string;
  expected: { ok: true } | { ok: false; status: number };
};

/** A verifier of docs/receivers.md: the file for its code block, and how the harness next to it is run. */
type Language = {
  name: string;
  /** Why it cannot run; undefined if it can. */
  lacks: string | undefined;
  file: string;
  harness: string;
  more?: Record<string, string>;
  commands: string[][];
};

const php = await findPhp();

const LANGUAGES: Language[] = [
  {
    name: 'python',
    lacks: lacking('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 10))'),
    file: 'webhook.py',
    harness: 'harness.py',
    commands: [['python3', 'harness.py']],
  },
  {
    name: 'go',
    lacks: lacking('go', 'version'),
    file: 'webhook/webhook.go',
    harness: 'harness.go',
    more: { 'go.mod': 'module receiver\n\ngo 1.18\n' },
    commands: [['go', 'run', '.']],
  },
  {
    name: 'php',
    lacks: php.lacks,
    file: 'webhook.php',
    harness: 'harness.php',
    commands: [[...php.command, 'harness.php']],
  },
  {
    ...{
      name: 'java',
      lacks: lacking('javac', '--release', '17', '--version'),
      file: 'Webhook.java',
      harness: 'Harness.java',
    },
    commands: [
      ['javac', 'Webhook.java', 'Harness.java'],
      ['java', '-cp', '.', 'Harness'],
    ],
  },
];

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const docs = readFileSync(at('../../docs/receivers.md'), 'utf8');
const { vectors } = JSON.parse(readFileSync(at('../../packages/webhook-verifier/vectors.json'), 'utf8')) as {
  vectors: Vector[];
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pts-verifiers-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The one block of a language in the page. */
function blockOf(language: string): string {
  const blocks = Array.from(docs.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')), ([, code]) => code);
  expect(blocks).toHaveLength(1);
  return blocks[0] ?? '';
}

/** A vector as lines for a harness, one for each secret: signature, timestamp, body in base64, secret, clock. */
function linesOf({ secret, now, headers, rawBody }: Vector): string[] {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const { 'x-webhook-signature': signature = '', 'x-webhook-timestamp': timestamp = '' } = given;
  const body = Buffer.from(rawBody).toString('base64');
  return [secret].flat().map((key) => [signature, timestamp, body, key, now].join('\t'));
}

/** The results of a language's verifier for some lines. */
function verifyWith({ name, file, harness, more = {}, commands }: Language, lines: string[]): number[] {
  const cwd = join(folder, name);
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  for (const [path, text] of Object.entries({ ...more, [file]: blockOf(name) })) writeFileSync(join(cwd, path), text);
  copyFileSync(at(`../support/verifiers/${harness}`), join(cwd, harness));
  const outputs = commands.map(([command = '', ...args]) => {
    const input = `${lines.join('\n')}\n`;
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, input, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
    return stdout;
  });
  return (outputs.at(-1) ?? '').trim().split('\n').map(Number);
}

for (const language of LANGUAGES) {
  const { name, lacks } = language;
  testWith(name, lacks, `the ${name} verifier of docs/receivers.md agrees with every vector`, async () => {
    const statuses = verifyWith(language, vectors.flatMap(linesOf));
    const agreed = vectors.map((vector) => {
      // With several secrets, the best result of any of them.
      const own = statuses.splice(0, linesOf(vector).length);
      return [vector.name, Math.min(...own)];
    });
    expect(agreed).toEqual(vectors.map(({ name, expected }) => [name, expected.ok ? 200 : expected.status]));
  });
}

test.each(LANGUAGES)('docs/receivers.md has one verifier in $name', ({ name }) => {
  expect(blockOf(name)).toMatch(/verify/i);
});
