import css from './skeleton.module.css';

/** Placeholder rows for content that takes long; they appear only after a moment. */
export function Skeleton({ rows = 8, label }: { rows?: number; label: string }) {
  return (
    <div role="status" aria-busy="true" className={css.skeleton}>
      <span className="unseen">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className={css.row} />
      ))}
    </div>
  );
}
