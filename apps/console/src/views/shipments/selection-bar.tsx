import { isRetrackTooSoon } from '@pts/client/errors';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Act, useDryRun } from '../../data/bulk-actions.ts';
import type { ShipmentFilter } from '../../data/shipments.ts';
import { refreshTracking, useRemoval } from '../../data/trackings.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { endIfRefused, endOfSession } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, mustType } from '../../ui/dialog.tsx';
import { Allowed } from '../../ui/may.tsx';
import { toast, toastWithUndo, useToastFailure } from '../../ui/toast.tsx';
import { BulkQuestion } from '../bulk.tsx';
import css from './shipments.module.css';

type Work = { total: number; done: number; failed: number };

/** All that match the filter, counted in words. */
export type Matching = { filter: ShipmentFilter; count: string };

type SelectionBarProps = {
  selected: ReadonlySet<string>;
  /** Null: nothing beyond the selected rows matches. */
  matching: Matching | null;
  /** Rows that were selected meanwhile, that failed, or that were not reached before it was stopped, stay selected. */
  onDeselect(ids: ReadonlySet<string>): void;
};

/**
 * Actions on the selected rows: one request after another, with progress, until done or stopped. For all
 * rows that match, the service does it in the background.
 */
export function SelectionBar({ selected, matching, onDeselect }: SelectionBarProps) {
  const t = useText().selection;
  const format = useFormat();
  const client = useClient();
  const toastFailure = useToastFailure();
  const queries = useQueryClient();
  const removal = useRemoval();
  const [work, setWork] = useState<Work | null>(null);
  const [requested, setRequested] = useState<Act | null>(null);
  const isStopped = useRef(false);
  /** The filter of which all that match are selected. With another one, they are not. */
  const [allOf, setAllOf] = useState<string | null>(null);
  const dryRun = useDryRun(() => toast(t.none));
  const filter = matching && JSON.stringify(matching.filter);
  const all = allOf === filter ? matching : null;

  const run = async (each: (id: string) => Promise<unknown>, report: (done: string, failed: number) => string) => {
    isStopped.current = false;
    const ended = endOfSession();
    const at: Work = { total: selected.size, done: 0, failed: 0 };
    setWork({ ...at });
    const done = new Set<string>();
    for (const id of selected) {
      if (isStopped.current || ended.aborted) break;
      await each(id).then(
        () => done.add(id),
        (error: unknown) => {
          at.failed += 1;
          endIfRefused(error, ended);
        },
      );
      at.done += 1;
      setWork({ ...at });
    }
    setWork(null);
    const message = report(format.number(at.done - at.failed), at.failed);
    if (each === removal.remove && done.size > 0)
      toastWithUndo(message, { undo: () => void removal.restore([...done]).catch(toastFailure) });
    else toast(message);
    onDeselect(done);
  };
  const retrack = () => {
    let tooSoon = 0;
    const each = (id: string) =>
      client.trackings.retrack(id).catch((error: unknown) => {
        if (isRetrackTooSoon(error)) tooSoon += 1;
        throw error;
      });
    return run(each, (done, failed) => t.retracked(done, tooSoon, failed - tooSoon));
  };
  const stop = async (id: string) => {
    await client.trackings.stop(id);
    void refreshTracking(queries, id);
  };
  const runOnSelected = {
    stop: () => run(stop, t.stopped),
    delete: () => run(removal.remove, t.removed),
  };
  const ask = (action: Act) => {
    setRequested(action);
    if (all !== null) dryRun.ask({ shipments: all.filter }, { onError: toastFailure });
    else if (action === 'retrack') void retrack();
  };

  if (work !== null) {
    return (
      <div className={css.selection}>
        <progress max={work.total} value={work.done} aria-label={t.progress} />
        <span>{t.working(format.number(work.done), format.number(work.total))}</span>
        <Button
          onClick={() => {
            isStopped.current = true;
          }}
        >
          {t.halt}
        </Button>
      </div>
    );
  }
  return (
    <div className={css.selection}>
      <strong>{all ? t.allSelected(all.count) : t.selected(selected.size)}</strong>
      {matching && !all && (
        <Button look="quiet" onClick={() => setAllOf(filter)}>
          {t.selectAll(matching.count)}
        </Button>
      )}
      <Allowed needs="write">
        <Button onClick={() => ask('retrack')} busy={dryRun.isAsking}>
          {t.verbs.retrack}
        </Button>
        <Button onClick={() => ask('stop')} busy={dryRun.isAsking}>
          {t.verbs.stop}
        </Button>
        <Button look="danger" onClick={() => ask('delete')} busy={dryRun.isAsking}>
          {t.verbs.delete}
        </Button>
      </Allowed>
      <Button look="quiet" onClick={() => onDeselect(selected)}>
        {t.clear}
      </Button>
      {all !== null && requested && (
        <BulkQuestion
          dryRun={dryRun}
          action={requested}
          title={t.confirmAll[requested]}
          onStarted={() => onDeselect(selected)}
        >
          <p>{t.consequence[requested]}</p>
        </BulkQuestion>
      )}
      {all === null && requested && requested !== 'retrack' && (
        <Confirm
          title={t.confirm[requested](selected.size)}
          action={t.verbs[requested]}
          look={requested === 'delete' ? 'danger' : 'primary'}
          typed={requested === 'delete' ? mustType(selected.size) : undefined}
          isRunning={false}
          error={null}
          onConfirm={() => {
            setRequested(null);
            void runOnSelected[requested]();
          }}
          onClose={() => setRequested(null)}
        >
          <p>{t.consequence[requested]}</p>
        </Confirm>
      )}
    </div>
  );
}
