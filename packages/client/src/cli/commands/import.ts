import { readFile, writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FIELDS, type Field } from '@pts/core/imports';
import { counted } from '@pts/core/terminal';
import type { NewImport } from '../../background.ts';
import type { Client } from '../../client.ts';
import type { Import } from '../../types.ts';
import { type Context, command } from '../command.ts';
import { EXIT } from '../errors.ts';
import { CommandError, UsageError } from '../kit.ts';

const FORMATS: Readonly<Record<string, NonNullable<NewImport['format']>>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.xlsx': 'xlsx',
};
const LOOK_AGAIN_MS = 500;

export const importFile = command({
  name: 'import',
  about:
    'Registers the parcels in a CSV, NDJSON or Excel file. It checks the file and asks before it registers anything.',
  takes: ['file'],
  options: {
    'dry-run': { about: 'check the file only; nothing is registered or charged' },
    yes: { about: 'do not ask for confirmation; required without a terminal' },
    column: {
      value: 'FIELD=HEADER',
      isList: true,
      about: `read this column as one of the fields ${FIELDS.join(', ')}`,
    },
    rejected: { value: 'FILE', about: 'write the rejected rows and the reasons to this file' },
  },
  details: [
    'Each new number uses one unit of quota. After Ctrl-C, the service finishes a running import.',
    'The exit code is 1 if rows were rejected.',
  ],
  async run(context, { file: path, yes, column, rejected, ...input }) {
    const { client, signal, note, ask, isInteractive, print } = context;
    const file = { ...(await readImport(path)), ...columnsFrom(column) };
    const api = client();
    const examined = await ended(context, api, await api.imports.start({ ...file, dry_run: true }, { signal }));
    if (input['dry-run']) return await report(context, api, examined, rejected);
    for (const line of linesOf(examined)) note(line);
    const isNothing = examined.rows.registered + examined.rows.known === 0;
    if (isNothing) return await report(context, api, examined, rejected);
    if (!yes && !isInteractive)
      throw new CommandError('Cannot ask for confirmation without a terminal. Add --yes or --dry-run.', EXIT.usage);
    const answer = yes
      ? 'y'
      : await ask(
          `Register ${counted(examined.rows.registered, 'parcel')} for ${counted(examined.units, 'unit')}? [y/N]`,
        );
    if (!/^y(es)?$/i.test(answer)) {
      print(examined, () => ['Nothing was registered.']);
      return EXIT.failed;
    }
    const started = await api.imports.start(file, { signal });
    return await report(context, api, await ended(context, api, started), rejected);
  },
});

async function readImport(path: string): Promise<NewImport> {
  const format = FORMATS[extname(path).toLowerCase()];
  if (!format) throw new UsageError(`The name of ${path} must end in one of ${Object.keys(FORMATS).join(', ')}.`);
  const content = await readFile(path).catch((error: Error) => {
    throw new CommandError(`Cannot read ${path}: ${error.message}`, EXIT.usage);
  });
  return { content: new Uint8Array(content), format, file_name: basename(path) };
}

function columnsFrom(given: readonly string[]): Partial<NewImport> {
  const named = given.map((one) => {
    const [field = '', header] = one.split(/=(.*)/s);
    if (header === undefined || !FIELDS.includes(field as Field))
      throw new UsageError(`--column must be FIELD=HEADER, where FIELD is one of ${FIELDS.join(', ')}, not "${one}".`);
    return [`${field}_column`, header];
  });
  return Object.fromEntries(named);
}

/** Waits for the end of an import. */
async function ended({ signal, progress }: Context, api: Client, started: Import): Promise<Import> {
  let latest = started;
  while (latest.state === 'queued' || latest.state === 'running') {
    progress(
      `${latest.dry_run ? 'Checking' : 'Registering'}: ${latest.progress}%, ${counted(latest.rows.read, 'row')}`,
    );
    await delay(LOOK_AGAIN_MS, undefined, { signal });
    latest = await api.imports.one(started.id, { signal });
  }
  progress('');
  if (latest.state === 'failed') throw new CommandError(latest.error ?? 'The file cannot be read.');
  if (latest.state === 'cancelled')
    throw new CommandError(
      `The import was cancelled after ${counted(latest.rows.read, 'row')}. Parcels that it registered stay registered.`,
    );
  return latest;
}

async function report(
  { print, note, signal }: Context,
  api: Client,
  done: Import,
  rejectedPath: string | undefined,
): Promise<number> {
  print(done, () => linesOf(done));
  if (done.rows.rejected === 0) return EXIT.ok;
  if (rejectedPath === undefined) note('To save the rejected rows with the reasons, add --rejected FILE.');
  else await writeFile(rejectedPath, api.imports.rejected(done.id, { signal }));
  return EXIT.failed;
}

function linesOf({ dry_run, columns, rows, units, quota_remaining, faults }: Import): string[] {
  const read = columns.flatMap(({ header, field }) => (field === null ? [] : `${field} = "${header}"`));
  const updated = dry_run ? [] : [`${rows.updated} updated`];
  const counts = [
    `${rows.registered} new`,
    `${rows.known} already registered`,
    ...updated,
    `${rows.rejected} rejected`,
  ];
  return [
    `Columns: ${read.join(', ')}`,
    `${counted(rows.read, 'row')}: ${counts.join(', ')}`,
    `Quota: ${counted(units, 'unit')} ${dry_run ? `needed, ${quota_remaining ?? 0} left` : 'used'}`,
    ...faults.map(
      (fault) =>
        `  ${counted(fault.rows, 'row')}: ${fault.field ?? ''} ${fault.message} (${fault.sample_rows.length === 1 ? 'row' : 'rows'} ${fault.sample_rows.join(', ')})`,
    ),
  ];
}
