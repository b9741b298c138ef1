import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useFormat } from '../i18n/format.ts';
import { useText } from '../i18n/language.ts';
import { failureOf, isSaidAt } from '../session/failure.ts';
import { Button, ButtonLink } from './button.tsx';
import { Copy } from './copy.tsx';
import { sheet } from './page.tsx';
import css from './states.module.css';

type Action = { href: string; label: string } | { onClick(): void; label: string };

type EmptyStateProps = {
  title: string;
  action?: Action;
  children?: ReactNode;
  /** Other things that can be done. */
  otherwise?: ReactNode;
};

/** Nothing is there: one sentence and one action. */
export function EmptyState({ title, action, children, otherwise }: EmptyStateProps) {
  return (
    <div className={css.state} data-state="">
      <p className={css.title}>{title}</p>
      {children}
      {action &&
        ('href' in action ? (
          <ButtonLink href={action.href} look="primary">
            {action.label}
          </ButtonLink>
        ) : (
          <Button look="primary" onClick={action.onClick}>
            {action.label}
          </Button>
        ))}
      {otherwise}
    </div>
  );
}

/** Shows what failed, what to do, the request's id, and a retry, automatic where the service says when. */
export function ErrorState({ error, retry }: { error: unknown; retry(): void }) {
  const text = useText();
  const { what, advice, lang, requestId, retryAfterSeconds } = failureOf(error, text);
  return (
    <div className={css.state} data-state="" role="alert">
      <p className={css.title}>{what}</p>
      <p lang={lang}>{advice}</p>
      {retryAfterSeconds !== null && <Wait key={String(error)} seconds={retryAfterSeconds} retry={retry} />}
      {requestId !== null && (
        <p className={css.note}>
          {text.failure.requestId} <code>{requestId}</code> <Copy value={requestId} />
        </p>
      )}
      <Button onClick={retry}>{text.failure.retry}</Button>
    </div>
  );
}

/** Says when the next try is, then retries. */
function Wait({ seconds, retry }: { seconds: number; retry(): void }) {
  const t = useText().failure;
  const format = useFormat();
  useEffect(() => {
    const timer = setTimeout(retry, seconds * 1000);
    return () => clearTimeout(timer);
  }, [seconds, retry]);
  return <p>{t.until(format.dateTime(new Date(Date.now() + seconds * 1000)))}</p>;
}

/** The failure of an action, beside its button; nothing if all of it is said at the fields of the form already. */
export function Problem({ error, fields = [] }: { error: unknown; fields?: readonly string[] }) {
  const text = useText();
  if (isSaidAt(fields, error)) return null;
  const { what, advice, lang, requestId, retryAfterSeconds } = failureOf(error, text);
  return (
    <div className={css.problem} role="alert">
      <strong>{what}</strong>{' '}
      {retryAfterSeconds === null ? <span lang={lang}>{advice}</span> : text.failure.inSeconds(retryAfterSeconds)}
      {requestId !== null && (
        <span className={css.note}>
          {' '}
          {text.failure.requestId} <code>{requestId}</code> <Copy value={requestId} />
        </span>
      )}
    </div>
  );
}

type SkeletonProps = {
  rows?: number;
  /** The content that it stands for: rows of a list, rows of two lines, scans with their times, or charts. */
  shape?: 'list' | 'lines' | 'timeline' | 'charts';
};

/** Placeholder rows for content that takes long, in its shape; they appear only after a moment. */
export function Skeleton({ rows = 8, shape = 'list' }: SkeletonProps) {
  const t = useText();
  return (
    <div role="status" aria-busy="true" className={`${css.skeleton} ${css[shape]}`}>
      <span className="unseen">{t.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className={css.row}>
          <span />
          <span className={css.text} />
          <span className={css.last} />
        </div>
      ))}
    </div>
  );
}

type LoadedProps<T> = {
  read: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending'> & { refetch(): unknown };
  /** While other parts are being read for the first time, this one is not shown either. */
  isWaiting?: boolean;
  blank?: SkeletonProps;
  children(data: T): ReactNode;
};

/** Shows what was read; until then a placeholder, or why it could not be read. */
export function Loaded<T>({ read, isWaiting = false, blank, children }: LoadedProps<T>) {
  const { data, error, isPending, refetch } = read;
  if (isWaiting || isPending) return <Skeleton {...blank} />;
  if (data !== undefined) return children(data);
  return error && <ErrorState error={error} retry={refetch} />;
}

/** Shows the same on a sheet, under a thin bar while `isBusy`: it is read again. */
export function SheetOf<T>({ isBusy, ...loaded }: LoadedProps<T> & { isBusy?: boolean }) {
  return (
    <div className={sheet} aria-busy={isBusy}>
      <Loaded {...loaded} />
    </div>
  );
}
