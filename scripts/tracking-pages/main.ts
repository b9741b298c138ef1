import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, stdout } from 'node:process';
import type { Language } from '@pts/core/languages/texts';
import { errorPage, lookupPage, NO_BRAND, parcelPage } from '../../apps/api/src/pages/html.ts';
import { viewPage } from '../../apps/api/src/pages/view.ts';
import { DEPS, NOW, SAMPLE_NAMES, sampleOrder, sampleRecord } from './samples.ts';

const SHOWN: readonly Language[] = ['en', 'zh', 'ar', 'de'];
const ERROR_PAGES = ['gone', 'missing', 'busy', 'unavailable'] as const;
const [, , folder = '.cache/tracking-pages/html'] = argv;

mkdirSync(folder, { recursive: true });
let written = 0;
const write = (name: string, body: string) => {
  writeFileSync(join(folder, `${name}.html`), body);
  written++;
};
for (const language of SHOWN) {
  for (const name of SAMPLE_NAMES) {
    const record = sampleRecord(name);
    const view = viewPage(record, DEPS, language, NOW, sampleOrder(name));
    const brand = { name: record.shopName, url: record.shopUrl, color: record.color, logo: null };
    write(`${name}.${language}`, parcelPage(view, { brand, isEmbedded: false, frameAncestors: [] }).body);
    if (name === 'arriving-today')
      write(`embed.${language}`, parcelPage(view, { brand, isEmbedded: true, frameAncestors: [] }).body);
  }
  const brand = { ...NO_BRAND, name: 'Nordlicht Outfitters', url: 'https://shop.example' };
  const form = { language, brand, action: '', supportUrl: brand.url };
  write(`lookup.${language}`, lookupPage(form).body);
  const entries = { order_id: 'A-1001', postal_code: '24159' };
  write(`lookup-not-found.${language}`, lookupPage({ ...form, entries, fault: 'notFound' }).body);
  for (const name of ERROR_PAGES)
    write(`error-${name}.${language}`, errorPage(name, language, name === 'gone' ? brand : NO_BRAND).body);
}
stdout.write(`Written: ${written} pages in ${folder}\n`);
