import { useEffect, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { keptFile } from '../../behaviour/files.ts';
import {
  type Import,
  type ImportField,
  type NewImport,
  takeHandedFile,
  useImport,
  useStartImport,
} from '../../data/imports.ts';
import { isOver } from '../../data/queries.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button, FileLabel } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Allowed } from '../../ui/may.tsx';
import { PageHead, Section, sheet } from '../../ui/page.tsx';
import { Problem } from '../../ui/states.tsx';
import { type Column, columnsOf, FIELDS, parametersOf, samplesOf, withField } from './import-columns.ts';
import { ImportList, Verdict } from './import-page.tsx';
import css from './imports.module.css';
import { formatOf, readSample, type Sample } from './sample.ts';

/** Imports a file: its columns, what it would do and cost, then the import; and the last imports. */
export function Imports() {
  const t = useText().imports;
  const [, navigate] = useLocation();
  const preparation = usePreparation();
  const { take } = preparation;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is handed on once
  useEffect(() => {
    const handed = takeHandedFile();
    if (handed) take(handed);
  }, []);
  return (
    <div className={css.page}>
      <PageHead title={t.title} />
      <Allowed needs="write">
        {preparation.file === null ? (
          <DropZone onFile={preparation.take} />
        ) : (
          <Prepare
            file={preparation.file}
            preparation={preparation}
            onRun={() => preparation.run((id) => navigate(`/imports/${id}`))}
          />
        )}
      </Allowed>
      <Section title={t.last}>
        <ImportList />
      </Section>
    </div>
  );
}

const MAX_BYTES = 50 * 1024 * 1024;
const KINDS = '.csv,.tsv,.txt,.xlsx,.ndjson,.jsonl,text/csv,text/plain';

/** Takes a file: dropped on it, or chosen. */
function DropZone({ onFile }: { onFile(file: File): void }) {
  const t = useText().imports;
  const id = useId();
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const take = async (file: File | undefined) => {
    setOver(false);
    if (!file) return;
    if (file.size > MAX_BYTES) return setProblem(t.tooLarge);
    if (file.size === 0) return setProblem(t.empty);
    const kept = await keptFile(file);
    if (kept === null) return setProblem(t.unreadable);
    onFile(kept);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field inside takes the same by keyboard
    <div
      className={`${css.drop} ${isOver ? css.over : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer.files[0]);
      }}
    >
      <p className={css.dropTitle}>{t.drop}</p>
      <FileLabel htmlFor={id} look="primary">
        {t.choose}
      </FileLabel>
      <input
        id={id}
        type="file"
        className="unseen"
        accept={KINDS}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => {
          void take(target.files?.[0]);
          target.value = '';
        }}
      />
      <p id={`${id}-hint`} className="muted">
        {t.kinds}
      </p>
      {problem !== null && (
        <p role="alert" className={css.wrong}>
          {problem}
        </p>
      )}
    </div>
  );
}

type PrepareProps = { file: File; preparation: Preparation; onRun(): void };

/** The columns of a file, and what its import would do. */
function Prepare({ file, preparation, onRun }: PrepareProps) {
  const t = useText().imports;
  const format = useFormat();
  const { columns, sample, examined, error, isExamining, isChanged } = preparation;
  const hasNumbers = columns.some(({ field }) => field === 'tracking_number');
  const isReady = examined?.state === 'done' && !isChanged;
  return (
    <div className={css.prepare}>
      <div className={css.file}>
        <strong className={css.name}>{file.name}</strong>
        <span className="muted">{format.bytes(file.size)}</span>
        <Button look="quiet" onClick={preparation.drop}>
          {t.another}
        </Button>
      </div>
      {columns.length > 0 && (
        <div className={sheet}>
          <ColumnTable columns={columns} sample={sample} onChange={preparation.choose} />
        </div>
      )}
      {error !== null && !isChanged && <Problem error={error} />}
      {examined?.state === 'failed' && !isChanged && (
        <p className={css.notice} role="alert">
          {examined.error}
        </p>
      )}
      {examined?.state === 'failed' && columns.length === 0 && <NameColumn onName={preparation.examine} />}
      {isChanged && !hasNumbers && <p className="muted">{t.noNumbers}</p>}
      {!isChanged && examined && examined.state !== 'failed' && <Verdict examined={examined} />}
      {isExamining && !examined && (
        <p role="status" className="muted">
          {t.uploading}
        </p>
      )}
      <div className="actions">
        {isChanged || error !== null ? (
          <Button
            look="primary"
            onClick={() => preparation.examine()}
            disabled={isChanged && !hasNumbers}
            busy={isExamining}
          >
            {t.again}
          </Button>
        ) : (
          <Button look="primary" onClick={onRun} disabled={!isReady} busy={preparation.isStarting}>
            {isReady ? t.run(examined.rows.read - examined.rows.rejected) : t.runLater}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Asks for the column of a workbook whose headers say nothing: only the service has read it. */
function NameColumn({ onName }: { onName(column: string): void }) {
  const t = useText().imports;
  return (
    <form
      className="actions"
      onSubmit={(event) => {
        event.preventDefault();
        const column = String(new FormData(event.currentTarget).get('column') ?? '').trim();
        if (column !== '') onName(column);
      }}
    >
      <Field label={t.nameColumn} hint={t.nameColumnHint}>
        {(control) => <input {...control} name="column" maxLength={200} />}
      </Field>
      <Button type="submit">{t.again}</Button>
    </form>
  );
}

type ColumnTableProps = {
  columns: readonly Column[];
  sample: Sample | null;
  onChange(columns: readonly Column[]): void;
};

/** Each column of the file with what its first rows have in it, and what it is read as. */
function ColumnTable({ columns, sample, onChange }: ColumnTableProps) {
  const t = useText().imports;
  return (
    <div className={css.scroll}>
      <table className={css.columns}>
        <thead>
          <tr>
            <th scope="col">{t.column}</th>
            {sample && <th scope="col">{t.samples}</th>}
            <th scope="col">{t.readAs}</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((column, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: headers may be alike; the place is what tells columns apart
            <tr key={place}>
              <th scope="row" className={css.header}>
                {column.header || t.nameless(place + 1)}
              </th>
              {sample && (
                <td className={css.samples}>
                  {samplesOf(sample, columns, place).map((value, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: values may be alike
                    <span key={at}>{value}</span>
                  ))}
                </td>
              )}
              <td>
                <select
                  className={css.select}
                  aria-label={`${t.readAs}: ${column.header || t.nameless(place + 1)}`}
                  value={column.field ?? ''}
                  onChange={({ target }) =>
                    onChange(withField(columns, place, target.value === '' ? null : (target.value as ImportField)))
                  }
                >
                  <option value="">{t.ignored}</option>
                  {FIELDS.map((field) => (
                    <option key={field} value={field}>
                      {t.fields[field]}
                    </option>
                  ))}
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A file that is prepared for an import: its first rows, its columns, and what the service says about it. */
type Preparation = {
  file: File | null;
  sample: Sample | null;
  columns: readonly Column[];
  /** The dry run, once the file is uploaded. */
  examined: Import | undefined;
  isExamining: boolean;
  /** Whether columns were changed since the dry run. */
  isChanged: boolean;
  error: unknown;
  take(file: File): void;
  choose(columns: readonly Column[]): void;
  /** Examines the file again, with the chosen columns, or with the named one. */
  examine(trackingColumn?: string): void;
  /** Imports it. @param done gets the id of the import */
  run(done: (id: string) => void): void;
  isStarting: boolean;
  drop(): void;
};

function usePreparation(): Preparation {
  const [file, setFile] = useState<File | null>(null);
  const [sample, setSample] = useState<Sample | null>(null);
  const [chosen, setChosen] = useState<readonly Column[] | null>(null);
  const [isChanged, setChanged] = useState(false);
  const examination = useStartImport();
  const start = useStartImport();
  const watched = useImport(examination.data?.id ?? null);
  const examined = examination.data ? watched.data : undefined;
  const encoding = examined?.encoding;
  useEffect(() => {
    let isCurrent = true;
    if (file) void readSample(file, encoding).then((read) => isCurrent && setSample(read));
    return () => {
      isCurrent = false;
    };
  }, [file, encoding]);
  const columns = chosen ?? columnsOf(examined, sample);

  const uploadOf = (content: File, named?: string): NewImport => ({
    content,
    format: formatOf(content.name),
    file_name: content.name,
    ...(named === undefined ? chosen && parametersOf(chosen) : { tracking_number_column: named }),
  });

  return {
    file,
    sample,
    columns,
    examined,
    isExamining: examination.isPending || (examined !== undefined && !isOver(examined)),
    isChanged,
    error: start.error ?? examination.error ?? watched.error,
    take(taken) {
      setFile(taken);
      setChosen(null);
      setChanged(false);
      setSample(null);
      examination.mutate({
        content: taken,
        format: formatOf(taken.name),
        file_name: taken.name,
        dry_run: true,
      });
    },
    choose(changed) {
      setChosen(changed);
      setChanged(true);
    },
    examine(named) {
      start.reset();
      if (file) examination.mutate({ ...uploadOf(file, named), dry_run: true });
      if (named !== undefined) setChosen(null);
      setChanged(false);
    },
    run(done) {
      const upload = examined && file && { ...uploadOf(file), ...parametersOf(columns) };
      if (upload) start.mutate(upload, { onSuccess: ({ id }) => done(id) });
    },
    isStarting: start.isPending,
    drop() {
      setFile(null);
      examination.reset();
      start.reset();
    },
  };
}
