import type { ReactNode } from 'react';
import {
  type BulkAction,
  type DryRun,
  type Kind,
  useCancelBulkAction,
  useRunningBulkAction,
  useStartBulkAction,
} from '../data/bulk-actions.ts';
import { isOver } from '../data/queries.ts';
import { useRemoval } from '../data/trackings.ts';
import { useFormat } from '../i18n/format.ts';
import { useText } from '../i18n/language.ts';
import { Button } from '../ui/button.tsx';
import { Confirm, mustType } from '../ui/dialog.tsx';
import { Allowed } from '../ui/may.tsx';
import { Problem } from '../ui/states.tsx';
import { toast, toastWithUndo, useToastFailure } from '../ui/toast.tsx';

/** Shows what is being done to all that match a filter: the service continues it when this page is closed. */
export function BulkBar({ kind, className }: { kind: Kind; className: string | undefined }) {
  const { selection: t, shipments } = useText();
  const format = useFormat();
  const toastFailure = useToastFailure();
  const cancel = useCancelBulkAction();
  const removal = useRemoval();
  const announceEnd = (ended: BulkAction) => {
    if (ended.action !== 'delete' || ended.done === 0) return toast(summaryOf(ended));
    toastWithUndo(summaryOf(ended), { undo: () => void removal.restoreBulk(ended.id).catch(toastFailure) });
  };
  const running = useRunningBulkAction(announceEnd, kind);
  const summaryOf = ({ action, state, done, skipped, failed }: BulkAction) =>
    t.ended(t.verbs[action], state === 'cancelled', format.number(done), skipped, failed);
  if (running === null) return null;
  const {
    id,
    action,
    dry_run: isDryRun,
    done,
    skipped,
    failed,
    matched,
    matched_is_lower_bound: isLowerBound,
  } = running;
  const handled = done + skipped + failed;
  const total = format.number(matched);
  const underWay = () =>
    t.underWay(t.verbs[action], format.number(handled), isLowerBound ? shipments.orMore(total) : total);
  return (
    <div className={className}>
      {!isDryRun && <progress max={Math.max(matched, handled, 1)} value={handled} aria-label={t.progress} />}
      <span>{isDryRun ? t.counting(total) : underWay()}</span>
      <Allowed needs={action === 'redeliver' ? 'webhooks' : 'write'} silent>
        <Button onClick={() => cancel.mutate(id, { onError: toastFailure })} busy={cancel.isPending}>
          {t.halt}
        </Button>
      </Allowed>
    </div>
  );
}

type BulkQuestionProps = {
  dryRun: DryRun;
  action: BulkAction['action'];
  /** The question, by the exact count. */
  title(count: string): string;
  onStarted?(): void;
  /** The consequences for all that match. */
  children: ReactNode;
};

/** Asks before something is done to all that match, once they are counted: it is done to these, and to no others. */
export function BulkQuestion({ dryRun, action, title, onStarted, children }: BulkQuestionProps) {
  const { selection: t } = useText();
  const format = useFormat();
  const start = useStartBulkAction();
  const { counted, isDone } = dryRun;
  // The question may be closed before the service refuses.
  if (!counted) return start.error ? <Problem error={start.error} /> : null;
  // It was cancelled elsewhere.
  if (isOver(counted) && !isDone) return null;
  const count = format.number(counted.matched);
  const onSuccess = () => {
    dryRun.close();
    onStarted?.();
  };
  return (
    <Confirm
      title={isDone ? title(count) : t.counting(count)}
      action={t.verbs[action]}
      look={action === 'delete' ? 'danger' : 'primary'}
      typed={action === 'delete' ? mustType(counted.matched) : undefined}
      isRunning={start.isPending || !isDone}
      error={start.error}
      onConfirm={() => start.mutate({ action, counted }, { onSuccess })}
      onClose={dryRun.close}
    >
      {children}
    </Confirm>
  );
}
