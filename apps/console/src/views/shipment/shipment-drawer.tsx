import type { Shipment } from '@pts/client/types';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useHotkeys } from '../../behaviour/hotkeys.ts';
import { useTracking } from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Detail } from './detail.tsx';
import css from './shipment.module.css';

type ShipmentDrawerProps = {
  id: string;
  /** The rows of the list below it. */
  among: readonly Shipment[];
  isSelected: boolean;
  onSelect(id: string): void;
  onShow(id: string): void;
  onClose(): void;
};

/** A parcel over the list that it was chosen from; `j` and `k` show the next and the previous one. */
export function ShipmentDrawer({ id, among, isSelected, onSelect, onShow, onClose }: ShipmentDrawerProps) {
  const text = useText();
  const t = text.shipment;
  const { data } = useTracking(id);
  const show = (step: 1 | -1) => {
    const at = among.findIndex((row) => row.id === id);
    const next = at === -1 ? undefined : among[at + step];
    if (next) onShow(next.id);
  };
  useHotkeys({ j: () => show(1), k: () => show(-1), x: () => onSelect(id) }, { inModal: true });
  useFocusOnRow(id);
  const onGone = () => {
    if (isSelected) onSelect(id);
    onClose();
  };
  return (
    <Dialog
      as="drawer"
      title={data?.tracking_number ?? t.title}
      beside={data && <Copy value={data.tracking_number} />}
      onClose={onClose}
    >
      <Detail key={id} id={id} after={null} onGone={onGone} />
      <p className={css.actions}>
        <Link href={`/shipments/${id}`}>{t.asPage}</Link>
        {isSelected && <span className={css.muted}>{text.selection.selected(1)}</span>}
      </p>
    </Dialog>
  );
}

/** Once it is closed, and the browser has given the focus back, it goes to the row of the parcel that was shown last. */
function useFocusOnRow(id: string): void {
  const shown = useRef(id);
  shown.current = id;
  useEffect(
    () => () => {
      document.querySelector<HTMLElement>(`[data-id="${shown.current}"] [data-row]`)?.focus();
    },
    [],
  );
}
