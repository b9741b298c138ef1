import { posix } from 'node:path';
import { ERRORS } from '@pts/core/errors';
import { EVENT_KINDS } from '@pts/core/tracking/status';
import { operations, operatorOperations } from '../apps/api/src/endpoints/index.ts';
import { createDirectory, linksOf, makeSite, readSections } from '../apps/portal/src/main.ts';
import { OPERATIONS, PUSHES, referenceOf } from '../apps/portal/src/reference/reference.ts';
import CHINESE from '../apps/portal/src/reference/zh.json' with { type: 'json' };
import { LANGUAGES } from '../apps/portal/src/site/page.ts';
import { english, render, withExamples, withoutMarks } from '../apps/portal/src/text/render.ts';
import { exists, read } from './deployment/repository.ts';

const ASSETS = ['main.js', 'theme.js', 'main.css', 'icon.svg'];
const CHANGED: Readonly<Record<string, string>> = {
  'docs/quickstart.md': '2026-03-01',
  'packages/contract/src/trackings.ts': '2026-03-02',
  'apps/portal/src/errors/zh.ts': '2026-03-03',
};
const readIfThere = (path: string) => (exists(path) ? read(path) : null);
const files = new Map(
  makeSite({
    read: readIfThere,
    changedOn: (file) => CHANGED[file] ?? null,
    assets: { script: 'main.js', theme: 'theme.js', style: 'main.css' },
    nameFor: () => 'search.json',
  }).map(({ path, text }) => [`/${path}`, text]),
);
const pages = [...files].filter(([path]) => path.endsWith('.html'));
const texts = [...files].filter(([path]) => path.endsWith('.md'));

/** Where a link of a page leads: the address, without what follows `#`, and the anchor. */
function follow(from: string, href: string): { address: string; anchor: string } {
  const [path = '', anchor = ''] = href.split('#');
  return { address: path === '' ? from : posix.join(posix.dirname(from), path), anchor: decodeURIComponent(anchor) };
}

test('there is a page for each operation that the API serves, and for each error, in both languages', () => {
  const served = [...operations, ...operatorOperations].map(({ doc }) => doc.id);
  expect(OPERATIONS.map(({ id }) => id).sort()).toEqual(served.sort());
  const paths = [
    ...OPERATIONS.map(({ id }) => `reference/${id}`),
    ...Object.values(ERRORS).map(({ number }) => `errors/${number}`),
  ];
  const missing = paths.flatMap((path) =>
    [`/docs/${path}`, `/docs/zh/${path}`]
      .flatMap((one) => [`${one}.html`, `${one}.md`])
      .filter((one) => !files.has(one)),
  );
  expect(missing).toEqual([]);
});

test('the guide to errors leads to all of them, and each page says what to do', () => {
  for (const { number } of Object.values(ERRORS)) {
    expect(files.get('/docs/errors.md')).toContain(`| [${number}](errors/${number}.md) |`);
    expect(files.get('/docs/zh/errors.md')).toContain(`| [${number}](errors/${number}.md) |`);
    expect(files.get(`/docs/errors/${number}.md`)).toMatch(/## Cause\n\n\w.{20,}\n\n## Fix\n\n\w.{20,}\n\n```json/);
    expect(files.get(`/docs/zh/errors/${number}.md`)).toMatch(/## 原因\n\n.{8,}\n\n## 解决办法\n\n.{8,}\n\n```json/);
  }
});

// biome-ignore format: one error per line is readable as a table
test.each([
  [415, ['charset', 'compressed', '压缩']],
  [429, ['streams', 'imports', 'bulk calls', 'invalid key', '无效密钥']],
  [503, ['event streams', '事件流']],
  [4121, ['check digit', 'no provider', '校验位']],
  [4190, ['new numbers in the call', '剩余配额少于']],
])('the page of %i names each cause for which the API returns it', (number, causes) => {
  const pages = ['/docs', '/docs/zh'].map((root) => files.get(`${root}/errors/${number}.md`)).join();
  expect(causes.filter((cause) => !pages.includes(cause))).toEqual([]);
});

test('every link leads to a page, and to a heading of it', () => {
  const known = new Set([
    ...pages.map(([path]) => path.replace(/\.html$/, '')),
    ...texts.map(([path]) => path),
    ...[...ASSETS, 'search.json'].map((name) => `/docs/assets/${name}`),
    ...['/console', '/downloads/pts-examples.tgz', '/downloads/vectors.json'],
  ]);
  const anchors = new Map(
    pages.map(([path, html]) => [
      path.replace(/\.html$/, ''),
      new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id)),
    ]),
  );
  const broken = pages.flatMap(([path, html]) => {
    const from = path.replace(/\.html$/, '');
    const links = Array.from(html.matchAll(/(?:href|src)="([^"]+)"/g), ([, href = '']) => href);
    return links
      .filter((href) => {
        if (/^(https?|mailto):/.test(href)) return false;
        const { address, anchor } = follow(from, href);
        return !known.has(address) || (anchor !== '' && !anchors.get(address)?.has(anchor));
      })
      .map((href) => `${from}: ${href}`);
  });
  expect(broken).toEqual([]);
});

/**
 * Pages for operators, and the reasons of decisions: the portal has them not, and shows only the names of links to
 * them.
 */
const OF_OPERATORS = /^(docker\/|k8s\/|docs\/(decisions\/|operations\.md|sandbox-carrier\.md))/;

test('no guide loses a link: only those to pages for operators do not lead anywhere', () => {
  const guides = readSections(readIfThere).flatMap((section) => section.pages.filter(({ source }) => source));
  const directory = createDirectory(guides);
  const lost = guides.flatMap((page) =>
    LANGUAGES.flatMap((language) => {
      const file = page.source?.[language] ?? '';
      const { follow } = linksOf(page, language, directory);
      const prose = page.text[language].replace(/^```[\s\S]*?^```$/gm, '');
      return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, href = '']) => href)
        .filter((href) => follow(href) === null && !href.startsWith('/docs/'))
        .filter((href) => !OF_OPERATORS.test(posix.join(posix.dirname(file), href)))
        .map((href) => `${file}: ${href}`);
    }),
  );
  // The changelog is for operators, too.
  expect(lost.filter((link) => !link.startsWith('CHANGELOG.md: '))).toEqual([]);
});

test('the Markdown of a page leads on to Markdown', () => {
  const broken = texts.flatMap(([path, text]) => {
    const prose = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
    return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, href = '']) => href)
      .filter((href) => !/^(https?:|.*\/downloads\/|.*console$)/.test(href) && !files.has(follow(path, href).address))
      .map((href) => `${path}: ${href}`);
  });
  expect(broken).toEqual([]);
});

test('llms.txt lists every page in English, once', () => {
  const listed = Array.from(files.get('/llms.txt')?.matchAll(/\((\/docs[^)]*\.md)\)/g) ?? [], ([, path = '']) => path);
  const english = texts.map(([path]) => path).filter((path) => !/^\/docs\/(zh[/.]|404\.md$)/.test(path));
  expect(listed.sort()).toEqual(english.sort());
});

test('a page has nothing that its security policy forbids, and loads nothing from elsewhere', () => {
  for (const [path, html] of pages) {
    const tags = html.replace(/>[^<]*</g, '><');
    expect([path, tags.match(/<style|\sstyle=|\son\w+=|<script>|(src|<link[^>]*href)="https?:/g)]).toEqual([
      path,
      null,
    ]);
  }
});

test('a page says when its text was changed, and what comes before and after it', () => {
  const quickstart = files.get('/docs/quickstart.html') ?? '';
  expect(quickstart).toContain('<time datetime="2026-03-01">');
  expect(files.get('/docs/zh/reference/createTracking.html')).toContain('<time datetime="2026-03-02">');
  expect(files.get('/docs/zh/errors/4113.html')).toContain('<time datetime="2026-03-03">');
  expect(quickstart).toMatch(/<a rel="prev" href="..\/docs">[\s\S]*<a rel="next" href="first-push">/);
});

test('an operation shows ranges, allowed values, errors with their fix, and seven languages', () => {
  const text = files.get('/docs/reference/listShipments.md') ?? '';
  expect(text).toContain('1 to 200; default `50`');
  expect(text).toMatch(/`sort`.*\n\n.*One of `/);
  expect(text).toMatch(/\*\*429\*\* .*\n\n.*Wait 120 seconds.*\[too_many_requests\]\(\.\.\/errors\/429\.md\)/);
  const tabs = Array.from(text.matchAll(/^```\w+ tab=(\S+) beside=request$/gm), ([, name]) => name);
  expect(tabs).toEqual(['curl', 'JavaScript', 'Python', 'Go', 'PHP', 'Java', 'C#']);
});

test('the Chinese reference has Chinese labels, types, limits, rules and errors', () => {
  const html = files.get('/docs/zh/reference/listShipments.html') ?? '';
  expect(html).toContain('1 到 200；默认 <code>50</code>');
  expect(html).toMatch(
    /<strong>权限<\/strong>：<code>read<\/code>。[\s\S]*<strong>限制<\/strong>：每个账户每秒 5 次请求。/,
  );
  expect(html).toContain('<em>object 列表</em>');
  expect(html).toMatch(/<summary><strong>429<\/strong> \p{Script=Han}/u);
  expect(files.get('/docs/zh/events/ping.html')).toMatch(/<code>410<\/code> 不再接收/);
  expect(files.get('/docs/zh/errors/4113.html')).toMatch(/重新查询/);
});

test('zh.json has the Chinese of every text of the reference, with the same names, and of no other', () => {
  const chinese = pages.filter(([path]) => path.startsWith('/docs/zh/'));
  const untranslated = chinese.flatMap(([, html]) =>
    Array.from(html.matchAll(/<span lang="en">([\s\S]*?)<\/span>/g), ([, text]) => text),
  );
  expect([...new Set(untranslated)]).toEqual([]);
  const described = [
    ...OPERATIONS.map((each) => [each, referenceOf(each, 'en')]),
    ...PUSHES.map(([, push]) => push('en')),
  ];
  const shown = new Set<unknown>();
  JSON.stringify(described, (_name, value) => {
    if (typeof value === 'string') for (const paragraph of value.split('\n\n')) shown.add(paragraph);
    return value;
  });
  const namesIn = (text: string) => text.match(/`[^`]+`/g) ?? [];
  const wrong = Object.entries(CHINESE).filter(
    ([text, own]) =>
      !shown.has(text) || !/\p{Script=Han}/u.test(own) || namesIn(text).some((name) => !own.includes(name)),
  );
  expect(wrong).toEqual([]);
});

test('what has no Chinese yet is marked as English, in pages alone', () => {
  const { intro, parts } = render(`${english('The `id`.')}\n`, { follow: () => null, named: () => null }, 'zh');
  expect(intro).toBe('<p><span lang="en">The <code>id</code>.</span></p>\n');
  expect(parts).toEqual([]);
  expect(withoutMarks(english('The `id`.'))).toBe('The `id`.');
});

test('every guide is translated, and a guide whose translation is missing is reported by its name', () => {
  for (const { text } of readSections(readIfThere).flatMap(({ pages }) => pages.filter(({ source }) => source)))
    expect(text.zh).toMatch(/\p{Script=Han}{4}/u);
  const without = (path: string) => (path === 'docs/zh/imports.md' ? null : readIfThere(path));
  expect(() => readSections(without)).toThrow('The portal needs docs/zh/imports.md.');
});

test('a translation without an example of its original is reported by its name', () => {
  const original = '```sh\na\n```\n\n```sh\nb\n```\n';
  expect(withExamples('<!-- example 1 -->\n和\n<!-- example 2 -->', original, 'x.md')).toContain('```sh\na\n```\n和');
  expect(() => withExamples('<!-- example 2 -->', original, 'x.md')).toThrow(/^x\.md must have the examples 1 to 2/);
});

test('every kind of push has a page in the catalogue, with its headers and the fields of the parcel', () => {
  const kinds = [...EVENT_KINDS, 'ping'];
  expect(kinds.filter((kind) => !files.has(`/docs/events/${kind}.html`))).toEqual([]);
  for (const [page, link] of [
    ['events', 'events/tracking_update'],
    ['zh/events', 'events/tracking_update'],
  ])
    expect(files.get(`/docs/${page}.html`)).toContain(`<a href="${link}"><code>tracking_update</code></a>`);
  const html = files.get('/docs/events/tracking_delivered.html') ?? '';
  expect(html).toMatch(/<aside[\s\S]*X-Webhook-Signature[\s\S]*<\/aside>/);
  // Those of an object are a list that opens.
  expect(html).toMatch(
    /<code>events<\/code> <em>list of object<\/em>[\s\S]*?<details><summary>Fields \(\d+\)<\/summary>/,
  );
});

test('samples stand beside the text, after its first paragraphs, and the rest of the page follows', () => {
  for (const path of ['docs', 'docs/zh', 'docs/reference/createTracking', 'docs/zh/errors/4110'])
    expect(files.get(`/${path}.html`)).toMatch(
      /<article [^>]*>\n<div class="intro">\n<h1[\s\S]*<aside [\s\S]*<\/aside>\n<div>\n<h2/,
    );
});

test('releases in the changelog have their dates', () => {
  expect(files.get('/docs/zh/changelog.html')).toMatch(/<h2 id="[^"]*">0\.3\.0 <time datetime="2026-11-26">/);
});
