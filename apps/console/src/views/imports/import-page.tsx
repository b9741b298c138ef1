import { isApiError } from '@pts/client/errors';
import { Link } from 'wouter';
import { type Import, useCancelImport, useImport } from '../../data/imports.ts';
import { isOver } from '../../data/is-over.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState, Problem } from '../../ui/states.tsx';
import { FullTime } from '../../ui/time.tsx';
import { Said } from '../../ui/words/said.tsx';
import { Faults } from './faults.tsx';
import { TONES } from './import-list.tsx';
import css from './imports.module.css';
import { Progress } from './progress.tsx';
import { Count } from './verdict.tsx';

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
      {isPending && <Skeleton label={t.loading} rows={4} />}
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
      <p className={css.muted}>{t.leave}</p>
      <div className={css.actions}>
        <Button onClick={() => cancel.mutate()} busy={cancel.isPending}>
          {t.cancel}
        </Button>
        <span className={css.muted}>{t.cancelWhat}</span>
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
          <Said message={error} />
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
        <p className={css.muted}>
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
