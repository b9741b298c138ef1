import { Copy } from '../../ui/copy.tsx';
import css from './shipment.module.css';

/** A tracking number, large, with its copy. */
export function TrackingNumber({ children }: { children: string }) {
  return (
    <span className={css.number}>
      {children} <Copy value={children} />
    </span>
  );
}
