import { useText } from '../../i18n/language.ts';
import { Check } from '../../ui/field.tsx';
import { EVENT_KINDS, type EventKind } from './event-kinds.ts';
import css from './webhooks.module.css';

/** Which kinds of event an endpoint receives. */
export function EventChoice({
  chosen,
  onChange,
}: {
  chosen: readonly EventKind[];
  onChange(chosen: EventKind[]): void;
}) {
  const t = useText().webhooks;
  return (
    <fieldset className={css.choice}>
      <legend>{t.which}</legend>
      {EVENT_KINDS.map((kind) => (
        <Check
          key={kind}
          label={
            <>
              {t.events[kind]} <code className={css.muted}>{kind}</code>
            </>
          }
          checked={chosen.includes(kind)}
          onChange={(on) => onChange(EVENT_KINDS.filter((one) => (one === kind ? on : chosen.includes(one))))}
        />
      ))}
    </fieldset>
  );
}
