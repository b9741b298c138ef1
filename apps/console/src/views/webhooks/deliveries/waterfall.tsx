import type { DeliveryDetails } from '../../../data/webhooks.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useText } from '../../../i18n/language.ts';
import css from '../webhooks.module.css';

type Step = { label: string; from: number; ms: number };

/** Each step of an attempt on one scale: when it began and how long it took. */
export function Waterfall({ timing }: { timing: DeliveryDetails['timing'] }) {
  const t = useText().webhooks;
  const format = useFormat();
  const steps = stepsOf(timing, t.steps);
  const total = Math.max(timing.total_ms, 1);
  return (
    <table className={css.waterfall}>
      <tbody>
        {steps.map(({ label, from, ms }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td className={css.scale}>
              <div
                className={css.stepBar}
                style={{ marginInlineStart: `${(100 * from) / total}%`, width: `max(2px, ${(100 * ms) / total}%)` }}
              />
            </td>
            <td className={css.figure}>{format.duration(ms)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">{t.steps.total}</th>
          <td>{timing.reused === true && <span className={css.muted}>{t.reused}</span>}</td>
          <td className={css.figure}>{format.duration(timing.total_ms)}</td>
        </tr>
      </tbody>
    </table>
  );
}

/** The steps that took place, one after another. */
function stepsOf(
  timing: DeliveryDetails['timing'],
  words: { dns: string; connect: string; tls: string; wait: string; rest: string },
): Step[] {
  const steps: Step[] = [];
  let at = 0;
  const add = (label: string, ms: number | null) => {
    if (ms === null) return;
    steps.push({ label, from: at, ms });
    at += ms;
  };
  add(words.dns, timing.dns_ms);
  add(words.connect, timing.connect_ms);
  add(words.tls, timing.tls_ms);
  if (timing.first_byte_ms !== null) {
    add(words.wait, Math.max(0, timing.first_byte_ms - at));
    add(words.rest, Math.max(0, timing.total_ms - at));
  }
  return steps;
}
