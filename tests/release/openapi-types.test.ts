import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { apiDocument } from '../../apps/api/src/endpoints/index.ts';

const run = promisify(execFile);

/** The program of a package, as seen from one of our own. */
function program(name: string, file: string, from: string): string {
  const require = createRequire(join(import.meta.dirname, '../..', from, 'package.json'));
  return join(dirname(require.resolve(`${name}/package.json`)), file);
}

/** A merchant's program on the generated types: each line that must not compile says so. */
const USAGE = `
import type { components, operations, paths, webhooks } from './api.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

type Schemas = components['schemas'];
holds<Equal<Schemas['Status'], '查询中' | '派送中' | '已签收' | '异常'>>();
holds<Equal<Schemas['Tracking']['status'], Schemas['Status']>>();
holds<Equal<Schemas['Tracking']['last_checked_at'], string | null>>();
holds<Equal<Schemas['RegistrationOutcome']['detected_carrier'], string | undefined>>();
holds<Equal<Schemas['DeliveryRecord']['error'], string | null>>();
type Shown = 'time' | 'location' | 'description' | 'status';
holds<Equal<Pick<Schemas['TrackingEvent'], Shown>, Record<Shown, string>>>();

// The split of one request schema into path, query and body.
holds<Equal<NonNullable<operations['listShipments']['parameters']['query']>['limit'], number | undefined>>();
type Several = NonNullable<operations['getTrackings']['parameters']['query']>;
holds<Equal<Several, { tracking_numbers?: string; order_ids?: string; lang?: string; include?: string }>>();
holds<Equal<operations['updateWebhook']['parameters']['path'], { id: string }>>();
type Change = operations['updateWebhook']['requestBody']['content']['application/json'];
holds<Equal<'id' extends keyof Change ? true : false, false>>();

// The envelopes: one for each answer, and one for all errors.
type Created = paths['/trackings/create']['post']['responses'];
holds<Equal<Created[200]['content']['application/json'], Schemas['CreateTrackingEnvelope']>>();
holds<Equal<Schemas['CreateTrackingEnvelope']['code'], number>>();
holds<Equal<Created[400]['content']['application/json'], Schemas['ErrorEnvelope']>>();
holds<Equal<Created[401]['content']['application/json'], Schemas['ErrorEnvelope']>>();
holds<Equal<NonNullable<Created[200]['headers']['RateLimit-Remaining']>, number>>();

export const registered: Schemas['TrackingInput'] = { tracking_number: 'YT8962646785999', metadata: { shop: 'a' } };
export const webhook: Schemas['WebhookInput'] = { url: 'https://shop.example.cn/', events: ['tracking_delivered'] };
// @ts-expect-error pings cannot be subscribed to
export const wrong: Schemas['WebhookInput'] = { url: 'https://shop.example.cn/', events: ['ping'] };
// @ts-expect-error the number is missing
export const missing: Schemas['TrackingInput'] = { title: 'Blue jacket' };

// Lines of a stream, and pushes, are distinguished by one property.
export function read(line: Schemas['StreamLine']): string {
  if (line.type === 'tracking') return line.tracking_number;
  return line.type === 'error' ? line.errorMessage : '';
}
export function receive(any: Schemas['Push']): string {
  if (any.event === 'account_notice')
    return any.data.notice.kind === 'quota_used' ? String(any.data.notice.details.used) : any.data.notice.text;
  return any.event === 'ping' ? any.data.webhook_id : any.data.tracking_number;
}

type Push = webhooks['tracking_delivered']['post']['requestBody']['content']['application/json'];
export function take(push: Push): string {
  return \`\${push.event satisfies 'tracking_delivered'}: \${push.data.tracking_number} \${push.data.events[0]?.location}\`;
}
`;

const OPTIONS = {
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  types: [],
  target: 'ES2023',
  module: 'ESNext',
  moduleResolution: 'bundler',
};

test('types that a merchant generates from the document are the types of the API', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pts-types-'));
  const at = (name: string) => join(directory, name);
  try {
    writeFileSync(at('openapi.json'), JSON.stringify(apiDocument()));
    const generator = program('openapi-typescript', 'bin/cli.js', 'packages/contract');
    await run(process.execPath, [generator, at('openapi.json'), '-o', at('api.ts')], { cwd: directory });
    writeFileSync(at('usage.ts'), USAGE);
    writeFileSync(at('tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['api.ts', 'usage.ts'] }));
    const compiler = program('typescript', 'bin/tsc', '.');
    const { stdout } = await run(process.execPath, [compiler, '-p', directory], { cwd: directory }).catch(
      (failed: { stdout: string }) => failed,
    );
    expect(stdout).toBe('');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}, 120_000);
