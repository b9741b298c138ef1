import type { Ready } from './ready-file.ts';

/** What to know and what to try, once all is up. The three commands work when pasted in order. */
export function banner(ready: Ready, dir: string, isEmbedded: boolean, now: Date): string {
  const api = `${ready.base_url}/api/v1`;
  const key = `-H 'X-API-Key: ${ready.api_key}'`;
  const json = `-H 'Content-Type: application/json'`;
  // The digits are anyone's choice; new ones are a new parcel, whose journey begins.
  const number = `SBXEXPRESS${Math.floor(now.getTime() / 1000)}`;
  return `
  The Parcel Tracking Service is up.

  Base URL   ${ready.base_url}
  API key    ${ready.api_key}

  Register a parcel of the sandbox carrier, read it (it is delivered after 20 seconds), and have its news sent to you:

curl -sw '\\n' -X POST ${api}/trackings/create ${key} ${json} -d '{"tracking_number":"${number}"}'

curl -sw '\\n' '${api}/trackings/get?tracking_numbers=${number}' ${key}

curl -sw '\\n' -X POST ${api}/webhooks ${key} ${json} -d '{"url":"http://127.0.0.1:9000/hook","events":["tracking_update","tracking_delivered","tracking_exception"]}'

  Check all of it   npm run smoke -- --base-url ${ready.base_url} --api-key ${ready.api_key}
  Sandbox carrier   ${ready.sandbox_url} (what its numbers do: docs/sandbox.md)
  Queue             ${ready.redis_url ? 'in Redis (REDIS_URL)' : 'in PostgreSQL'}
  Data              ${isEmbedded ? `${dir} (start over: npm start -- --fresh)` : `your PostgreSQL (DATABASE_URL); keys in ${dir}`}
  Stop              Ctrl-C
`;
}
