import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '..');
const sheets = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css') && !path.endsWith('tokens.css'))
  .map((path) => ({ path, text: readFileSync(join(SOURCES, path), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '') }));
const tokens = readFileSync(join(SOURCES, 'styles/tokens.css'), 'utf8');

test('only the tokens name a colour', () => {
  expect(sheets.length).toBeGreaterThan(10);
  const named = sheets.filter(({ text }) => /#[0-9a-f]{3,8}\b|\b(rgb|hsl|light-dark)\(/i.test(text));
  expect(named.map(({ path }) => path)).toEqual([]);
});

test('only the tokens name a size; widths of windows and containers cannot be tokens', () => {
  const named = sheets.flatMap(({ path, text }) =>
    text
      .replaceAll(/@(media|container)[^{]*/g, '')
      .split('\n')
      .filter((line) => /\d(px|rem|em|pt)\b/.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(named).toEqual([]);
});

test('the scale of type is kept: 12, 14, 16, 20 and 24 pixels', () => {
  const sizes = Array.from(tokens.matchAll(/(\d+)px \/ /g), ([, size]) => Number(size));
  expect([...new Set(sizes)].sort((a, b) => a - b)).toEqual([12, 14, 16, 20, 24]);
});

test('the outline of the focus is never removed', () => {
  const removed = sheets.flatMap(({ path, text }) =>
    Array.from(
      text.matchAll(/([^{}]*)\{[^}]*outline:\s*(none|0)/g),
      ([, selector = '']) => `${path}: ${selector.trim()}`,
    ),
  );
  // The rows' links draw it around the whole row instead.
  expect(removed.filter((one) => !/\.(covers|number|radio)\b.*:focus-visible$/.test(one))).toEqual([]);
});

test.each(['console', 'portal'])('paper is white, also if the reader chose the dark theme: %s', (app) => {
  const text = readFileSync(join(SOURCES, `../../${app}/src/styles/tokens.css`), 'utf8');
  const onScreen = [...text.matchAll(/@media screen \{\n([^@]*?)\n\}/g)].map(([rules = '']) => rules).join('\n');
  expect(onScreen).toContain('data-theme="dark"');
  expect(text.split('data-theme="dark"').length).toBe(onScreen.split('data-theme="dark"').length);
});

test('every token that is used is defined', () => {
  const defined = new Set(Array.from(tokens.matchAll(/^\s*(--[\w-]+):/gm), ([, name]) => name));
  const unknown = [...sheets, { path: 'tokens.css', text: tokens }].flatMap(({ path, text }) =>
    Array.from(text.matchAll(/var\((--[\w-]+)/g), ([, name]) => name)
      .filter((name) => !defined.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

describe('contrast', () => {
  const pairs = ['grey', 'blue', 'violet', 'green', 'amber', 'red'].map((tone) => [tone, `${tone}-tint`] as const);
  const onPaper = ['ink', 'muted', 'accent', 'red', 'amber'].flatMap((ink) =>
    ['paper', 'sunken', 'hover'].map((paper) => [ink, paper] as const),
  );

  test.each([...pairs, ...onPaper, ['on-accent', 'accent'] as const])(
    '%s can be read on %s, light and dark',
    (ink, paper) => {
      for (const theme of [0, 1] as const) {
        const [one, other] = [luminance(colour(ink, theme)), luminance(colour(paper, theme))].sort((a, b) => b - a);
        expect(((one ?? 0) + 0.05) / ((other ?? 0) + 0.05)).toBeGreaterThan(4.5);
      }
    },
  );
});

/** The colour of a token: light, dark. */
function colour(name: string, theme: 0 | 1): string {
  const found = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(tokens);
  return found?.[theme + 1] ?? '#000000';
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
