import { createClient } from '@pts/client/client';
import type { OperationId } from '@pts/contract/routes';
import fc from 'fast-check';
import { createKnowledge } from '../../apps/api/src/testing/fuzz-knowledge.ts';
import { targets } from '../../apps/api/src/testing/fuzz-targets.ts';
import { startTestApi } from '../../apps/api/src/testing/test-api.ts';
import { checkAgainstDocument } from '../../apps/api/src/testing/test-contract.ts';
import { OPERATIONS } from '../../apps/portal/src/reference/operations.ts';

// Run in a checkout to which an operation was added: prints as JSON what became of it.
const [id, query, databaseUrl = ''] = process.argv.slice(2) as [OperationId, string, string];
const api = await startTestApi({ databaseUrl, store: 'postgres' });
const limited = await startTestApi({ databaseUrl, store: 'postgres', limits: [], limitWindowSeconds: 600 });

const { key } = await api.account();
const clientOf = (baseUrl: string) => createClient({ baseUrl, apiKey: key, maxRetries: 0, pace: false });
const client = clientOf(api.url);
await client.trackings.create('YT8962646785999');

const described = OPERATIONS.find((operation) => operation.id === id);
const { method = 'get', path = '', limit } = described ?? {};
const document = (await (await fetch(`${api.url}/openapi.json`)).json()) as {
  paths: Record<string, Record<string, object>>;
};

const calls = Array.from({ length: (limit?.perSecond ?? 0) + 1 });
const statuses: number[] = [];
for (const _ of calls)
  await clientOf(limited.url)
    .call(id, { query: JSON.parse(query) })
    .then(
      () => statuses.push(200),
      ({ status }) => statuses.push(status),
    );

const target = targets.find(({ name }) => name === `${method.toUpperCase()} /api/v1${path}`);
const knowledge = createKnowledge(key, 'https://hooks.example.com/');
const fuzzed: number[] = [];
for (const request of target ? fc.sample(target.requests, 100) : []) {
  const filled = knowledge.fill(request);
  const response = await fetch(`${api.url}${request.base}${filled.path}`, {
    method: request.method,
    headers: { ...request.headers, 'X-API-Key': key },
    ...(filled.body === null ? {} : { body: filled.body }),
  });
  const text = await response.text();
  const { status, headers } = response;
  target?.check(status, text);
  checkAgainstDocument(request.method, new URL(response.url), { status, headers, body: JSON.parse(text) });
  fuzzed.push(status);
}

const report = {
  answer: await client.call(id, { query: JSON.parse(query) }),
  documented: document.paths[path]?.[method],
  page: described?.doc.summaryZh,
  statuses,
  fuzzed,
};
process.stdout.write(JSON.stringify(report));
await Promise.all([api.close(), limited.close()]);
