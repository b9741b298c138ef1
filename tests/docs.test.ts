import { posix } from 'node:path';
import { exists, filesIn, read } from './deployment/repository.ts';

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...['docs', 'examples', 'k8s', 'docker'].flatMap(filesIn).filter((path) => path.endsWith('.md')),
];

const withoutBlocks = (page: string) => page.replace(/^```[\s\S]*?^```/gm, '');
/** A page without the code that it shows. */
const textOf = (page: string) => withoutBlocks(page).replace(/`[^`\n]*`/g, 'code');

/** The targets of a page's links. */
function linksIn(page: string): string[] {
  return Array.from(textOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target]) => target ?? '');
}

/** The names under which GitHub shows the headings of a page: repeated ones are numbered. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutBlocks(page).matchAll(/^#{1,6} (.+)$/gm)) {
    const name = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${name}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The links of a page that lead nowhere in this repository. */
function brokenLinks(path: string, page: string): string[] {
  return linksIn(page).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file));
    if (!exists(target)) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(file === '' ? page : read(target)).has(anchor);
  });
}

test.each(PAGES)('the links of %s lead to a file, and to a heading of it', (path) => {
  expect(brokenLinks(path, read(path))).toEqual([]);
});

/** Paths that a page names in its text, except placeholders and examples. */
function pathsIn(page: string): string[] {
  const named = page.matchAll(/`((?:apps|packages|bench|chaos|docs|docker|k8s|prisma|scripts|tests)\/[\w./-]+)`/g);
  return Array.from(named, ([, path = '']) => path).filter((path) => !/\b(?:acme|dist|x)\b/.test(path));
}

// The changelog names what releases had.
test.each(PAGES.filter((path) => path !== 'CHANGELOG.md'))('the files that %s names exist', (path) => {
  expect(pathsIn(read(path)).filter((named) => !exists(named))).toEqual([]);
});

test.each(PAGES)('npm prints no heading into the files that commands of %s write', (path) => {
  const written = read(path).match(/(?:npm run|accounts|audit) [^`|\n]* > \S+/g) ?? [];
  expect(written.filter((command) => !command.includes('--silent'))).toEqual([]);
});

test.each(PAGES)('the Markdown of %s is what it looks like', (path) => {
  const page = textOf(read(path));
  // Emphasis that was replaced twice, and a code block that never ends.
  expect(page.match(/\*{3}/g) ?? []).toEqual([]);
  expect((read(path).match(/^```/gm) ?? []).length % 2).toBe(0);
});

test('decisions have a line each in their index', () => {
  const names = filesIn('docs/decisions').flatMap((path) => /\/(\d{4}-.*\.md)$/.exec(path)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(40);
  const listed = Array.from(
    read('docs/decisions/README.md').matchAll(/^- \[.+?\]\((\d{4}-.+?)\)$/gm),
    ([, name]) => name,
  );
  expect(listed).toEqual(names);
});

test('a link to a missing file or heading is broken, one in code is none', () => {
  const page =
    '# One & two\n\n[a](missing.md) [b](#two) [c](#one--two) [d](docs/chaos.md#nothing) [e](docs) `[f](missing.md)`';
  expect(brokenLinks('README.md', page)).toEqual(['missing.md', '#two', 'docs/chaos.md#nothing']);
});
