import { textMatching } from '@pts/testing/text-matching';
import {
  brandFaults,
  colorFault,
  contrast,
  normalUrl,
  onDark,
  PAPER,
  readLogo,
  shopUrlFault,
  supportUrlFault,
} from './page-brand.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

// biome-ignore format: one pair per line is readable as a table
test.each([
  ['#000000', '#ffffff', 21], ['#ffffff', '#ffffff', 1], ['#777777', '#ffffff', 4.48], ['#767676', '#FFFFFF', 4.54], ['#1f5fbf', '#ffffff', 6.09],
])('%s on %s has a contrast of %d', (a, b, ratio) => {
  expect(contrast(a, b)).toBeCloseTo(ratio, 1);
  expect(contrast(b, a)).toBe(contrast(a, b));
});

test('a colour that cannot be read on white is refused with its ratio, not rounded up', () => {
  expect(`${colorFault('#777777')}`).toContain('4.47:1');
  expect(`${colorFault('#ffd54a')}`).toContain('at least 4.5:1');
  expect(colorFault('#767676')).toBeNull();
});

test.each(['#000000', '#0b6b58', '#1f5fbf', '#7a0000', '#767676'])(
  '%s can be read on the dark background, too',
  (color) => {
    expect(contrast(onDark(color), PAPER.dark)).toBeGreaterThanOrEqual(4.5);
  },
);

// biome-ignore format: one value per line is readable as a table
test.each([
  ['shop_url', 'https://shop.example/a?b=c', null],
  ['shop_url', 'http://shop.example', 'https'],
  ['shop_url', 'https://user:secret@shop.example', 'https'],
  ['shop_url', 'javascript:alert(1)', 'https'],
  ['support_url', 'mailto:help@shop.example', null],
  ['support_url', 'https://shop.example/help', null],
  ['support_url', 'mailto:help@shop.example?body=x', 'mailto:'],
  ['support_url', 'mailto:nobody', 'mailto:'],
  ['support_url', 'data:text/html,x', 'https'],
  ['color', 'red', null],
  ['color', '#ffd54a', 'contrast'],
])('%s=%s: %s', (field, value, fault) => {
  const faults = brandFaults({ [field]: value });
  if (fault === null) expect(faults).toEqual([]);
  else expect(faults).toEqual([{ field, message: textMatching(fault), error: 'invalid_field' }]);
});

test.each([
  'https://shop.example/',
  'http://shop.example',
  'https://*',
  '*',
  'https://a;b',
  "'self'",
  'https://a b',
  'https://shop.example/x',
])('the origin %s cannot embed pages', (origin) => {
  expect(brandFaults({ embed_origins: ['https://shop.example', origin] })).toMatchObject([
    { field: 'embed_origins.1' },
  ]);
});

test('a logo is a PNG image of bounded size', () => {
  expect(readLogo(PNG.toString('base64'))).toMatchObject({ width: 1, height: 1 });
  const wide = Buffer.from(PNG);
  wide.writeUInt32BE(30_000, 16);
  expect(`${readLogo(wide.toString('base64'))}`).toContain('30,000 × 1 pixels');
  expect(`${readLogo(Buffer.concat([PNG, Buffer.alloc(65_536)]).toString('base64'))}`).toContain('at most 65,536');
  for (const text of [
    '',
    'AAAA',
    Buffer.from('<svg onload="alert(1)"/>').toString('base64'),
    PNG.toString('base64').slice(0, 20),
  ])
    expect(readLogo(text)).toEqual('must be a PNG image in base64');
});

test.each([
  'https:shop.example',
  'https:/shop.example',
  'https:///shop.example',
  'https:\\\\shop.example',
  'shop.example',
])('%s has no scheme and host in its text', (text) => {
  expect(shopUrlFault(text)).not.toBeNull();
  expect(supportUrlFault(text)).not.toBeNull();
});

test('an address is stored as browsers read it, an e-mail address as it is', () => {
  expect(normalUrl('HTTPS://Shop.Example/a b')).toBe('https://shop.example/a%20b');
  expect(normalUrl('mailto:help@shop.example')).toBe('mailto:help@shop.example');
});
