import { posix } from 'node:path';
import { operationNamed } from '../reference/operations.ts';
import type { Links } from '../text/render.ts';
import { addressOf, linkBetween, ROOT } from './address.ts';
import type { Language } from './language.ts';
import type { Page } from './page.ts';

/** How the pages of the portal find each other. */
export type Directory = {
  /** The page with a path, or with a source file. */
  find(path: string): Page | undefined;
};

export function createDirectory(pages: readonly Page[]): Directory {
  const known = new Map<string, Page>();
  for (const page of pages) {
    known.set(posix.join(ROOT, page.path), page);
    for (const file of Object.values(page.source ?? {})) known.set(file, page);
  }
  return { find: (path) => known.get(path) };
}

/** Files of the repository that the installation offers, by what their paths begin with. */
const OFFERED = {
  'examples/': '/downloads/pts-examples.tgz',
  'packages/webhook-verifier/vectors.json': '/downloads/vectors.json',
  'packages/webhook-verifier/examples/': '/downloads/pts-examples.tgz',
  'packages/webhook-verifier/sign.sh': '/downloads/pts-examples.tgz',
  'packages/webhook-verifier/src/verify.ts': '/downloads/pts-examples.tgz',
};

/** How the links of a page in a language are followed. `suffix` is `.md` in the Markdown of a page. */
export function linksOf(page: Page, language: Language, directory: Directory, suffix = ''): Links {
  const here = addressOf(page.path, language);
  const source = page.source?.[language];
  const to = (target: Page) => linkBetween(here, `${addressOf(target.path, language)}${suffix}`);
  return {
    follow(href) {
      if (/^(https?:|mailto:|#)/.test(href)) return href;
      const [file = '', anchor] = decodeURIComponent(href).split('#');
      const path = file.startsWith('/') ? file : posix.join(posix.dirname(source ?? ''), file);
      const [, offered] = Object.entries(OFFERED).find(([start]) => path.startsWith(start)) ?? [];
      if (offered) return linkBetween(here, offered);
      const target = directory.find(path);
      if (!target) return null;
      return anchor === undefined ? to(target) : `${to(target)}#${encodeURIComponent(anchor)}`;
    },
    operation(code) {
      const operation = operationNamed(code);
      const target = operation && directory.find(posix.join(ROOT, 'reference', operation.id));
      return target && target !== page ? to(target) : null;
    },
  };
}
