import { type Html, html } from '@pts/core/text/html';
import type { Downloads } from './files.ts';

/** What each package is for; those with a version in their names are the same. */
const TEXTS: Readonly<Record<string, string>> = {
  'pts-client.tgz': 'The client for JavaScript and TypeScript, and pts, the command line. No dependencies.',
  'pts-webhook-verifier.tgz': 'Verifies signed webhooks. No dependencies.',
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
  const command = `npm install ${names.map((name) => `${baseUrl}/downloads/${name}`).join(' ')}`;
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
<p>The packages of this installation, version ${version}. They need Node 20 or newer.</p>
<pre><code>${command}
npx pts login --url ${baseUrl}
npx pts listen --forward-to http://localhost:3000/hooks</code></pre>
<ul>${names.map((name) => item(name, baseUrl, sumOf(name)))}</ul>
<p>Under names with the version, files stay as they are until the next upgrade; <a href="${baseUrl}/downloads/SHA256SUMS">SHA256SUMS</a> has all checksums.</p>
</body>
</html>
`;
  return page.markup;
}

function item(name: string, baseUrl: string, sum: string): Html {
  return html`<li><a href="${baseUrl}/downloads/${name}">${name}</a>: ${TEXTS[name] ?? ''}<br>SHA-256 <code>${sum}</code></li>`;
}
