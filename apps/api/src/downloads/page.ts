import { type Html, html } from '@pts/core/text/html';
import type { Downloads } from './files.ts';

/** What each package is for; those with a version in their names are the same. */
const TEXTS: Readonly<Record<string, string>> = {
  'pts-client.tgz': 'The client for JavaScript and TypeScript, and pts, the command line. No dependencies.',
  'pts-webhook-verifier.tgz': 'Verifies signed webhooks. No dependencies.',
  'pts-client-python.tgz': 'The client for Python 3.10 or newer.',
  'pts-client-go.tgz': 'The client for Go 1.23 or newer.',
  'pts-client-php.tgz': 'The client for PHP 8.1 or newer.',
  'pts-client-java.tgz': 'The client for Java 11 or newer.',
};

/** How a client for another language is installed; what follows is in the portal. */
const INSTALL: Readonly<Record<string, (url: string) => string>> = {
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
  const names = Object.keys(TEXTS).filter((name) => packages.has(name));
  const [npm, others] = [names.filter((name) => !(name in INSTALL)), names.filter((name) => name in INSTALL)];
  const command = `npm install ${npm.map((name) => `${baseUrl}/downloads/${name}`).join(' ')}`;
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
<p>The packages of this installation, version ${version}. Those for npm need Node 20 or newer.</p>
<pre><code>${command}
npx pts login --url ${baseUrl}
npx pts listen --forward-to http://localhost:3000/hooks</code></pre>
<ul>${npm.map((name) => item(name, baseUrl, sumOf(name)))}</ul>
${
  others.length > 0
    ? html`<h2>Other languages</h2>
<ul>${others.map((name) => item(name, baseUrl, sumOf(name)))}</ul>
<p><a href="${baseUrl}/docs/clients">Clients for other languages</a> has the remaining steps, and examples.</p>`
    : null
}
<p>Under names with the version, files stay as they are until the next upgrade; <a href="${baseUrl}/downloads/SHA256SUMS">SHA256SUMS</a> has all checksums.</p>
</body>
</html>
`;
  return page.markup;
}

function item(name: string, baseUrl: string, sum: string): Html {
  const install = INSTALL[name];
  return html`<li><a href="${baseUrl}/downloads/${name}">${name}</a>: ${TEXTS[name] ?? ''}${install ? html`<br><code>${install(`${baseUrl}/downloads/${name}`)}</code>` : null}<br>SHA-256 <code>${sum}</code></li>`;
}
