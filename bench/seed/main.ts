import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@pts/db/connection';
import { storeEnv } from '../../apps/admin/src/installation.ts';
import { explainOptions, OptionFault } from '../options.ts';
import { checkIsLocal, chooseAccount, readSeedOptions } from './options.ts';
import { seedParcels, showProgress } from './seed.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../../..');
const note = (line: string) => void process.stderr.write(`${line}\n`);

try {
  await seed(process.argv.slice(2));
} catch (error) {
  process.exitCode = error instanceof OptionFault ? explainOptions(error) : 1;
  if (!(error instanceof OptionFault)) note(`\n${explain(error)}`);
}

async function seed(args: string[]): Promise<void> {
  const options = readSeedOptions(args);
  const { DATABASE_URL: url = '' } = storeEnv({ env: process.env, root: ROOT, note });
  checkIsLocal(url, options);
  const db = openDatabase({ url, poolSize: 3 });
  try {
    const now = new Date();
    const { accountId, intervalSeconds, isNew } = await chooseAccount(db, options, now);
    note(`account ${accountId}${isNew ? ' (new)' : ''}; checks are spread over ${intervalSeconds} s`);
    const { trackings: total, changing } = options;
    await seedParcels(db, { accountId, total, changing, intervalSeconds, now }, showProgress(total, note));
  } finally {
    await db.$disconnect();
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'Problem') return error.message;
  const isUnmigrated = 'code' in error && (error.code === 'P2021' || error.code === 'P2022');
  if (isUnmigrated) return 'The database is not up to date. Run `npm run migrate` first.';
  return error.stack ?? error.message;
}
