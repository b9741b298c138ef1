import css from './skeleton.module.css';

export type SkeletonProps = {
  label: string;
  rows?: number;
  /** What it stands for: rows of a list, rows of two lines, scans with their times, or charts. */
  shape?: 'list' | 'lines' | 'timeline' | 'charts';
};

/** Placeholder rows for content that takes long, in its shape; they appear only after a moment. */
export function Skeleton({ label, rows = 8, shape = 'list' }: SkeletonProps) {
  return (
    <div role="status" aria-busy="true" className={`${css.skeleton} ${css[shape]}`}>
      <span className="unseen">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className={css.row}>
          <span className={css.first} />
          <span className={css.text} />
          <span className={css.last} />
        </div>
      ))}
    </div>
  );
}
