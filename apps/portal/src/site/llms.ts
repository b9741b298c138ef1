import { addressOf } from './address.ts';
import type { Section } from './page.ts';
import { TEXTS } from './texts.ts';

/** The pages as a list for language models (llmstxt.org), each as Markdown. */
export function llmsText(sections: readonly Section[]): string {
  const { name } = TEXTS.en;
  const parts = sections.map(({ title, pages }) =>
    [
      `## ${title.en}`,
      ...pages.map((page) => {
        const label = page.label ? `${page.label} ` : '';
        return `- [${label}${page.title.en}](${addressOf(page.path, 'en')}.md)`;
      }),
    ].join('\n'),
  );
  return [
    `# ${name}`,
    '> Register tracking numbers over REST; the service follows the parcels and sends every change to a webhook, signed.',
    'The OpenAPI document is at [/openapi.json](/openapi.json). Every page of the portal is Markdown at its address with `.md`.',
    ...parts,
  ].join('\n\n');
}
