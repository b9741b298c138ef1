import { type Html, html } from '@pts/core/html';
import type { Downloads } from './files.ts';

type Offered = Readonly<Record<string, string>>;
/** What each package for npm is for; those with a version in their names are the same. */
const NPM: Offered = {
  'pts-client.tgz': 'The client for JavaScript and TypeScript, and pts, the command line. No dependencies.',
  'pts-webhook-verifier.tgz': 'Verifies signed webhooks. No dependencies.',
};
const LANGUAGES: Offered = {
  'pts-client-python.tgz': 'The client for Python 3.10 or newer.',
  'pts-client-go.tgz': 'The client for Go 1.23 or newer.',
  'pts-client-php.tgz': 'The client for PHP 8.1 or newer.',
  'pts-client-java.tgz': 'The client for Java 11 or newer.',
};
const EXAMPLES: Offered = {
  'pts-examples.tgz': 'The programs of the quickstart, which need nothing but Node, and receivers.',
  'vectors.json': 'Sample pushes with the expected results, to test a verifier in any language.',
};

/** How a client for another language is installed, and the examples; what follows is in the portal. */
const INSTALL: Readonly<Record<string, (url: string) => string>> = {
  'pts-examples.tgz': (url) => `curl -sS ${url} | tar -xz`,
  'pts-client-python.tgz': (url) => `pip install ${url}`,
  'pts-client-go.tgz': (url) => `curl -sS ${url} | tar -xz`,
  'pts-client-php.tgz': (url) => `curl -sS ${url} | tar -xz`,
  'pts-client-java.tgz': (url) => `curl -sS ${url} | tar -xz && mvn -q -f pts-client-java install`,
};

export const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid; border-radius: 4px; }
code { overflow-wrap: anywhere; }
`;

/**
 * The page at /downloads.
 * @param baseUrl how the reader reaches the installation
 */
export function downloadsPage({ packages, sumOf }: Downloads, baseUrl: string, version: string): string {
  const [npm = [], others = [], examples = []] = [NPM, LANGUAGES, EXAMPLES].map((offered) =>
    Object.entries(offered).filter(([name]) => packages.has(name)),
  );
  const list = (items: [string, string][]) =>
    html`<ul>${items.map(([name, text]) => item(name, text, baseUrl, sumOf(name)))}</ul>`;
  const command = `npm install ${npm.map(([name]) => `${baseUrl}/downloads/${name}`).join(' ')}`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Downloads: Parcel Tracking Service</title>
<link rel="stylesheet" href="${baseUrl}/downloads/style.css">
</head>
<body>
<h1>Downloads</h1>
<p>The packages of this installation, version ${version}. Those for npm need Node 20.3 or newer.</p>
<pre><code>${command}
npx pts login --url ${baseUrl}
npx pts listen --forward-to http://localhost:3000/hooks</code></pre>
${list(npm)}
${
  others.length > 0
    ? html`<h2>Other languages</h2>
${list(others)}
<p><a href="${baseUrl}/docs/clients">Clients for other languages</a> has the remaining steps, and examples.</p>`
    : null
}
${examples.length > 0 ? html`<h2>Examples</h2>${list(examples)}` : null}
<p>Under names with the version, files stay as they are until the next upgrade; <a href="${baseUrl}/downloads/SHA256SUMS">SHA256SUMS</a> has all checksums.</p>
</body>
</html>
`;
  return page.markup;
}

function item(name: string, text: string, baseUrl: string, sum: string): Html {
  const install = INSTALL[name];
  return html`<li><a href="${baseUrl}/downloads/${name}">${name}</a>: ${text}${install ? html`<br><code>${install(`${baseUrl}/downloads/${name}`)}</code>` : null}<br>SHA-256 <code>${sum}</code></li>`;
}
