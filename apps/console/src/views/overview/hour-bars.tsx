import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { HEIGHT, heightOf, STEP } from './bar-height.ts';
import css from './overview.module.css';

type BarsProps = {
  /** What is counted, and how many in all. */
  title: string;
  tone: 'blue' | 'green';
  bars: readonly { start: string; value: number }[];
};

const GAP = 2;

/** A bar per hour. Its number is its tooltip; the highest one is said in words. */
export function Bars({ title, tone, bars }: BarsProps) {
  const t = useText().overview;
  const format = useFormat();
  const highest = bars.reduce((most, bar) => (bar.value > most.value ? bar : most), { start: '', value: 0 });
  const [first, last] = [bars.at(0), bars.at(-1)];
  const words = highest.value > 0 ? t.most(format.number(highest.value), format.clock(new Date(highest.start))) : '';
  return (
    <figure className={css.chart}>
      <figcaption className={css.caption}>
        <strong>{title}</strong> <span className={css.label}>{words}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={`${css.bars} ${css[tone]}`}
        role="img"
        aria-label={`${title} ${words}`}
      >
        {bars.map(({ start, value }, at) => {
          const height = heightOf(value, highest.value);
          return (
            <rect
              key={start}
              x={at * STEP}
              y={HEIGHT - height}
              width={STEP - GAP}
              height={height}
              className={value === 0 ? css.nothing : undefined}
            >
              <title>{`${format.clock(new Date(start))}: ${format.number(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p className={css.axis} aria-hidden="true">
        <span>{first && format.clock(new Date(first.start))}</span>
        <span>{last && format.clock(new Date(last.start))}</span>
      </p>
    </figure>
  );
}
