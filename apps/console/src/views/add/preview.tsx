import { Link } from 'wouter';
import { useText } from '../../i18n/language.ts';
import { CarrierName } from '../../ui/carrier-name.tsx';
import { sheet } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Said } from '../../ui/words/said.tsx';
import css from './add.module.css';
import type { Line } from './use-add.ts';

const SHOWN = 200;

/** Line by line: what is wrong first, then what is new, then what is known already. */
export function Preview({ lines }: { lines: readonly Line[] }) {
  const t = useText().add;
  const sorted = lines.toSorted((a, b) => rank(a) - rank(b));
  return (
    <div className={`${sheet} ${css.preview}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.number}</th>
            <th scope="col">{t.result}</th>
            <th scope="col">{t.carrier}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, SHOWN).map((line) => (
            <tr key={line.number}>
              <td>
                <code>{line.number}</code>
              </td>
              {'fault' in line ? (
                <>
                  <td>
                    <Pill tone="red">{t.refused}</Pill>
                  </td>
                  <td>
                    <Said message={line.fault.errorMessage} />
                  </td>
                </>
              ) : (
                <>
                  <td>
                    {line.would.id === null ? (
                      <Pill tone="blue">{t.isNew}</Pill>
                    ) : (
                      <Link href={`/shipments/${line.would.id}`}>{t.isKnown}</Link>
                    )}
                  </td>
                  <td>
                    {line.would.candidates ? (
                      line.would.candidates.map((code, at) => (
                        <span key={code}>
                          {at > 0 && t.or}
                          <CarrierName code={code} />
                        </span>
                      ))
                    ) : (
                      <CarrierName code={line.would.carrier} />
                    )}
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > SHOWN && <p className={css.more}>{t.rest(lines.length - SHOWN)}</p>}
    </div>
  );
}

function rank(line: Line): number {
  if ('fault' in line) return 0;
  return line.would.id === null ? 1 : 2;
}
