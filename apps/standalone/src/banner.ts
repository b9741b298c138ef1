import { join } from 'node:path';
import type { Ready } from './ready-file.ts';

type Place = {
  dir: string;
  /** Whether other commands find the folder automatically, without STANDALONE_DIR. */
  isUsual: boolean;
};

/** The text that `npm start` prints once everything runs. Its commands work when pasted in order. */
export function banner(
  ready: Omit<Ready, 'settings'>,
  { dir, isUsual }: Place,
  isEmbedded: boolean,
  now: Date,
): string {
  const api = `${ready.base_url}/api/v1`;
  const key = `-H 'X-API-Key: ${ready.api_key}'`;
  const json = `-H 'Content-Type: application/json'`;
  // New digits make a new parcel, whose journey starts at the first check.
  const number = `SBXEXPRESS${Math.floor(now.getTime() / 1000)}`;
  const here = isUsual ? '' : `STANDALONE_DIR=${quoted(dir)} `;
  return `
  The Parcel Tracking Service is running.

  Console    ${ready.base_url}/console (sign in with the key)
  API key    ${ready.api_key} (kept in ${join(dir, 'demo-key')})
  Docs       ${ready.base_url}/docs
  Base URL   ${ready.base_url}

  In a second terminal, in this folder: start a receiver, which registers itself as a webhook and shows the signed
  pushes until Ctrl-C. Start it first: only what happens from then on is pushed.

${here}npm run receiver

  In a third terminal: register a parcel of the sandbox carrier, and read it (it is delivered after 20 seconds):

curl -sw '\\n' -X POST ${api}/trackings/create ${key} ${json} -d '{"tracking_number":"${number}"}'

curl -sw '\\n' '${api}/trackings/get?tracking_numbers=${number}' ${key}

  Check all of it   ${here}npm run smoke
  Sandbox carrier   ${ready.sandbox_url} (what its numbers do: docs/sandbox.md)
  Queue             ${ready.redis_url ? 'in Redis (REDIS_URL)' : 'in PostgreSQL'}
  Data              ${isEmbedded ? `${dir} (start over: ${here}npm start -- --fresh)` : `your PostgreSQL (DATABASE_URL); keys in ${dir}`}
  Stop              Ctrl-C
`;
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
