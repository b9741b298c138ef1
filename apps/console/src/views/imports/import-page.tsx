import { isApiError } from '@pts/client/errors';
import { useState } from 'react';
import { Link } from 'wouter';
import { saveFile } from '../../behaviour/files.ts';
import { moveRow, useHotkeys } from '../../behaviour/typing.ts';
import { type Import, type ImportField, useCancelImport, useImport, useImports } from '../../data/imports.ts';
import { isOver } from '../../data/queries.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { Button } from '../../ui/button.tsx';
import { Allowed } from '../../ui/may.tsx';
import { PageHead, Section, sheet } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { EmptyState, ErrorState, Problem, SheetOf, Skeleton } from '../../ui/states.tsx';
import { FullTime, Time } from '../../ui/time.tsx';
import css from './imports.module.css';

/** One import: its progress while it runs, also without this page; then its result. */
export function ImportPage({ id }: { id: string }) {
  const text = useText();
  const t = text.imports;
  const { data, error, isPending, refetch } = useImport(id);
  const isGone = isApiError(error, 'not_found', 'invalid_id');
  return (
    <div className={css.page}>
      <PageHead
        list={{ href: '/imports', label: text.nav.imports }}
        title={data?.file_name ?? t.one}
        beside={data && <Pill tone={TONES[data.state]}>{t.states[data.state]}</Pill>}
      />
      {isPending && <Skeleton rows={4} />}
      {isGone && <EmptyState title={t.gone} action={{ href: '/imports', label: text.nav.imports }} />}
      {error && !data && !isGone && <ErrorState error={error} retry={refetch} />}
      {data && (isOver(data) ? <Result of={data} /> : <Running of={data} />)}
    </div>
  );
}

function Running({ of }: { of: Import }) {
  const t = useText().imports;
  const cancel = useCancelImport(of.id);
  return (
    <>
      <Progress of={of} />
      <Counts of={of} />
      <p className="muted">{t.leave}</p>
      <div className="actions">
        <Allowed needs="write">
          <Button onClick={() => cancel.mutate()} busy={cancel.isPending}>
            {t.cancel}
          </Button>
          <span className="muted">{t.cancelWhat}</span>
        </Allowed>
      </div>
      {cancel.error && <Problem error={cancel.error} />}
    </>
  );
}

function Result({ of }: { of: Import }) {
  const t = useText().imports;
  const { error, rows, finished_at, expires_at, state } = of;
  return (
    <>
      {error !== null && (
        <p className={css.notice} role="alert">
          {error}
        </p>
      )}
      {state !== 'failed' && <Counts of={of} />}
      {rows.registered > 0 && (
        <p>
          <Link href="/shipments?sort=-created_at">{t.show}</Link>
        </p>
      )}
      {rows.rejected > 0 && (
        <Section title={t.rejectedTitle}>
          <Faults of={of} />
        </Section>
      )}
      {finished_at && (
        <p className="muted">
          {t.ended} <FullTime at={finished_at} />
          {expires_at && (
            <>
              {' · '}
              {t.kept} <FullTime at={expires_at} />
            </>
          )}
        </p>
      )}
    </>
  );
}

function Counts({ of: { rows, units } }: { of: Import }) {
  const t = useText().imports;
  const format = useFormat();
  return (
    <dl className={css.counts}>
      <Count label={t.registered} value={format.number(rows.registered)} />
      <Count label={t.updated} value={format.number(rows.updated)} />
      <Count label={t.known} value={format.number(rows.known)} />
      <Count label={t.rejected} value={format.number(rows.rejected)} isBad={rows.rejected > 0} />
      <Count label={t.units} value={format.number(units)} />
    </dl>
  );
}

/** How far it is, how fast, and for how long. */
function Progress({ of: { state, rows, rows_per_second: rate } }: { of: Import }) {
  const t = useText().imports;
  const format = useFormat();
  if (state === 'queued')
    return (
      <p role="status" className="muted">
        {t.queued}
      </p>
    );
  const { read, total } = rows;
  const secondsLeft = total !== null && rate ? Math.ceil((total - read) / rate) : null;
  const now = Date.now();
  return (
    <div className={css.progress}>
      <progress max={total ?? 1} value={total === null ? 0 : read} aria-label={t.progress} />
      <p className={css.numbers}>
        <span>{t.done(format.number(read), total === null ? '…' : format.number(total))}</span>
        {rate !== null && <span className="muted">{t.rate(format.number(Math.round(rate)))}</span>}
        {secondsLeft !== null && secondsLeft > 0 && (
          <span className="muted">{t.timeLeft(format.relative(new Date(now + secondsLeft * 1000), now))}</span>
        )}
      </p>
    </div>
  );
}

/** Shows what an import would do and cost. */
export function Verdict({ examined }: { examined: Import }) {
  const t = useText().imports;
  const add = useText().add;
  const format = useFormat();
  const { rows, units, quota_remaining: left } = examined;
  if (!isOver(examined)) return <Progress of={examined} />;
  const isShort = left !== undefined && units > left;
  return (
    <>
      <div role="status">
        <dl className={css.counts}>
          <Count label={t.wouldRegister} value={format.number(rows.registered)} />
          <Count label={t.wouldUpdate} value={format.number(rows.known + rows.updated)} />
          <Count label={t.rejected} value={format.number(rows.rejected)} isBad={rows.rejected > 0} />
          <Count label={t.cost} value={format.number(units)} isBad={isShort} />
          {left !== undefined && <Count label={t.left} value={format.number(left)} />}
        </dl>
      </div>
      {isShort && <p className={css.notice}>{t.short(format.number(units - left))}</p>}
      {rows.rejected > 0 && <p>{add.wrong(rows.rejected)}</p>}
      <Faults of={examined} />
    </>
  );
}

function Count({ label, value, isBad = false }: { label: string; value: string; isBad?: boolean }) {
  return (
    <div>
      <dt className="muted">{label}</dt>
      <dd className={`${css.figure} ${isBad ? css.bad : ''}`}>{value}</dd>
    </div>
  );
}

/** Shows what is wrong with rejected rows, by what repairs it, and offers the rows themselves as a file. */
function Faults({ of: { id, file_name, faults, rows } }: { of: Import }) {
  const t = useText().imports;
  const format = useFormat();
  if (rows.rejected === 0) return null;
  return (
    <>
      <ul className={sheet}>
        {faults
          .toSorted((a, b) => b.rows - a.rows)
          .map(({ field, message, rows: count, sample_rows }) => (
            <li key={`${field} ${message}`} className={css.fault}>
              <strong className={css.faultRows}>{t.rows(count)}</strong>
              <span>
                {field !== null && <span>{t.fieldOf(t.fields[field as ImportField] ?? field)}</span>}
                {message}
              </span>
              <span className="muted">
                {t.lines(sample_rows.map(format.number).join(', '), count > sample_rows.length)}
              </span>
            </li>
          ))}
      </ul>
      <Rejected id={id} fileName={file_name} />
    </>
  );
}

/** The rejected rows with their reasons: to correct and to upload again. */
function Rejected({ id, fileName }: { id: string; fileName: string | null }) {
  const t = useText().imports;
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setBusy(true);
    setError(null);
    const stem = (fileName ?? 'import').replace(/\.\w{1,8}$/, '');
    await saveFile(`${stem}-rejected.csv`, client.imports.rejected(id)).catch(setError);
    setBusy(false);
  };
  return (
    <div className="actions">
      <Button onClick={save} busy={isBusy}>
        {t.download}
      </Button>
      <span className="muted">{t.downloadWhat}</span>
      {error !== null && <Problem error={error} />}
    </div>
  );
}

const TONES = { queued: 'grey', running: 'blue', done: 'green', failed: 'red', cancelled: 'grey' } as const;

/** The last imports, without dry runs. */
export function ImportList() {
  const t = useText().imports;
  useHotkeys({ j: () => moveRow(1), k: () => moveRow(-1) });
  return (
    <SheetOf read={useImports()} blank={{ rows: 3 }}>
      {(data) => {
        const imports = data.filter((one) => !one.dry_run);
        if (imports.length === 0) return <p className={css.none}>{t.none}</p>;
        return (
          <ul>
            {imports.map((one) => (
              <ImportRow key={one.id} one={one} />
            ))}
          </ul>
        );
      }}
    </SheetOf>
  );
}

function ImportRow({ one }: { one: Import }) {
  const t = useText().imports;
  const format = useFormat();
  const { id, state, file_name, rows, progress, created_at } = one;
  return (
    <li className={css.row}>
      <Pill tone={TONES[state]}>{t.states[state]}</Pill>
      <Link href={`/imports/${id}`} className={`covers ${css.link}`} data-row="">
        {file_name ?? t.unnamed}
      </Link>
      {isOver(one) ? (
        <span className="muted">
          {t.summary(format.number(rows.registered), format.number(rows.known + rows.updated))}
          {rows.rejected > 0 && <span className={css.wrong}> {t.summaryRejected(format.number(rows.rejected))}</span>}
        </span>
      ) : (
        <span className="muted">{format.percent(progress / 100)}</span>
      )}
      <span className={css.when}>
        <Time at={created_at} />
      </span>
    </li>
  );
}
