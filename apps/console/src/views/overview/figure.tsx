import { Link } from 'wouter';
import { HEIGHT, heightOf, STEP } from './bar-height.ts';
import css from './overview.module.css';

const BAR = 16;

/** What happened on each of the last days, in words and as a small drawing. */
export type Week = { words: string; days: readonly number[] };

/** How much of something is used, from 0 to 1. */
export type Share = { words: string; used: number };

type FigureProps = {
  href: string;
  label: string;
  value: string | undefined;
  /** What is drawn below; undefined while it is read: its place is kept. */
  week?: Week | undefined;
  share?: Share | undefined;
  isBad?: boolean;
};

/** A number that matters, its week or its share, and the way to what it counts. */
export function Figure({ href, label, value, week, share, isBad = false }: FigureProps) {
  return (
    <li>
      <Link href={href} className={css.figure}>
        <span className={css.label}>{label}</span>
        <span className={`${css.value} ${isBad ? css.bad : ''} ${value === undefined ? css.blank : ''}`}>
          {value ?? '\u00a0'}
        </span>
        <span className={css.week}>
          {share ? <Used share={share} /> : <Sparkline days={week?.days ?? []} />}
          <span className={`${css.label} ${css.words}`}>{(week ?? share)?.words || '\u00a0'}</span>
        </span>
      </Link>
    </li>
  );
}

function Used({ share: { used } }: { share: Share }) {
  const width = Math.min(used, 1) * 100;
  return (
    <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" className={css.spark} aria-hidden="true">
      <rect y={HEIGHT - BAR} width="100" height={BAR} className={css.rest} />
      <rect y={HEIGHT - BAR} width={width} height={BAR} />
    </svg>
  );
}

/** A bar per day, without an axis: the words beside it say what is drawn. */
function Sparkline({ days }: { days: readonly number[] }) {
  const highest = Math.max(...days, 0);
  return (
    <svg
      viewBox={`0 0 ${Math.max(days.length, 1) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={css.spark}
      aria-hidden="true"
    >
      {days.map((value, at) => {
        const height = heightOf(value, highest);
        // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place
        return <rect key={at} x={at * STEP} y={HEIGHT - height} width={STEP - 2} height={height} />;
      })}
    </svg>
  );
}
