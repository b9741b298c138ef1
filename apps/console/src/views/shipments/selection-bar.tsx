import { isRetrackTooSoon } from '@pts/client/errors';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useStartBulkAction } from '../../data/bulk-actions.ts';
import { dropShipment, type ShipmentFilter } from '../../data/shipments.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { useToastFailure } from '../../ui/toast-failure.ts';
import css from './shipments.module.css';

type Work = { total: number; done: number; failed: number };

/** All that match the filter, counted in words. */
export type Matching = { filter: ShipmentFilter; count: string };

type SelectionBarProps = {
  selected: ReadonlySet<string>;
  /** Null: nothing beyond the selected rows matches. */
  matching: Matching | null;
  onDone(): void;
};

/**
 * What can be done with the selected rows: one request after another, with progress, until done or stopped. For all rows that
 * match, the service does it in the background.
 */
export function SelectionBar({ selected, matching, onDone }: SelectionBarProps) {
  const text = useText();
  const t = text.selection;
  const format = useFormat();
  const client = useClient();
  const toastFailure = useToastFailure();
  const queries = useQueryClient();
  const [work, setWork] = useState<Work | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const isStopped = useRef(false);
  const [isAll, setAll] = useState(false);
  const bulk = useStartBulkAction();
  const all = isAll ? matching : null;

  const startBulk = (action: 'retrack' | 'delete', { filter }: Matching) => {
    setConfirming(false);
    bulk.mutate({ action, filter }, { onSuccess: onDone, onError: toastFailure });
  };
  const run = async (each: (id: string) => Promise<unknown>, report: (work: Work) => string) => {
    isStopped.current = false;
    const at: Work = { total: selected.size, done: 0, failed: 0 };
    setWork({ ...at });
    for (const id of selected) {
      if (isStopped.current) break;
      await each(id).catch(() => {
        at.failed += 1;
      });
      at.done += 1;
      setWork({ ...at });
    }
    setWork(null);
    toast(report(at));
    onDone();
  };
  const retrack = () => {
    let tooSoon = 0;
    const each = (id: string) =>
      client.trackings.retrack(id).catch((error: unknown) => {
        if (isRetrackTooSoon(error)) tooSoon += 1;
        throw error;
      });
    return run(each, ({ done, failed }) => t.retracked(format.number(done - failed), tooSoon, failed - tooSoon));
  };
  const stop = () => {
    setConfirming(false);
    const each = async (id: string) => {
      await client.trackings.delete(id);
      dropShipment(queries, id);
    };
    return run(each, ({ done, failed }) => t.stopped(format.number(done - failed), failed));
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
        <Button look="quiet" onClick={() => setAll(true)}>
          {t.selectAll(matching.count)}
        </Button>
      )}
      <Button onClick={() => (all ? startBulk('retrack', all) : retrack())} busy={bulk.isPending}>
        {t.retrack}
      </Button>
      <Button look="danger" onClick={() => setConfirming(true)}>
        {t.stop}
      </Button>
      <Button look="quiet" onClick={onDone}>
        {t.clear}
      </Button>
      {isConfirming && (
        <Dialog title={all ? t.confirmAll(all.count) : t.confirm(selected.size)} onClose={() => setConfirming(false)}>
          <p>{t.consequence}</p>
          <div className={css.actions}>
            <Button look="danger" onClick={() => (all ? startBulk('delete', all) : stop())}>
              {t.stop}
            </Button>
            <Button onClick={() => setConfirming(false)}>{text.cancel}</Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
