import type { Tracking } from '@pts/client/types';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { useHotkeys } from '../../behaviour/hotkeys.ts';
import { dropShipment, restoreShipment } from '../../data/shipments.ts';
import { removeTracking, useChangeTracking, useRetrack, useStop } from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/states.tsx';
import { toast, toastWithUndo } from '../../ui/toast.tsx';
import { Edit } from './edit.tsx';
import css from './shipment.module.css';

/** Check now, correct, stop checking, remove. Removing waits up to ten seconds for Undo. */
export function Actions({
  tracking,
  after,
  onGone = () => {},
}: {
  tracking: Tracking;
  after: string | null;
  onGone?: (() => void) | undefined;
}) {
  const t = useText().shipment;
  const { id, tracking_number, watch } = tracking;
  const address = useAddress();
  const [, navigate] = useLocation();
  const client = useClient();
  const queries = useQueryClient();
  const retrack = useRetrack(id);
  const stop = useStop(id);
  // Not in the form: what is refused is said also if the form was closed before.
  const change = useChangeTracking(id);
  const isEditing = address.get('edit') !== null;
  const closeEdit = () => {
    change.forget();
    address.set({ edit: null }, { replace: true });
  };
  const check = () => {
    // Pressed again: the refusal of the second would hide that the first is done.
    if (!retrack.isPending) retrack.mutate(undefined, { onSuccess: () => toast(t.checking) });
  };
  useHotkeys({ r: check }, { inModal: after === null });

  const remove = () => {
    dropShipment(queries, id);
    toastWithUndo(t.removed(tracking_number), {
      undo: () => restoreShipment(queries, id),
      done: () =>
        void removeTracking(client, id).catch(() => {
          toast(t.notRemoved(tracking_number));
          restoreShipment(queries, id);
        }),
    });
    onGone();
    if (after !== null) navigate(after);
  };

  return (
    <>
      <div className={css.actions}>
        <Button onClick={check} busy={retrack.isPending}>
          {t.check}
        </Button>
        <Button onClick={() => address.set({ edit: '1' }, { replace: true })} busy={change.isPending}>
          {t.edit}
        </Button>
        {watch.mode !== 'stopped' && (
          <Button onClick={() => stop.mutate(undefined, { onSuccess: () => toast(t.stopped) })} busy={stop.isPending}>
            {t.stop}
          </Button>
        )}
        <Button look="danger" onClick={remove}>
          {t.remove}
        </Button>
      </div>
      {retrack.error && <Problem error={retrack.error} />}
      {stop.error && <Problem error={stop.error} />}
      {change.error && !isEditing && <Problem error={change.error} />}
      {isEditing && <Edit tracking={tracking} change={change} onClose={closeEdit} />}
    </>
  );
}
