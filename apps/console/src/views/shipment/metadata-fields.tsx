import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import css from './shipment.module.css';

/** The name and the value of an entry of the metadata. */
export type Pair = readonly [name: string, value: string];

const MAX_PAIRS = 10;
const MAX_NAME = 40;
const MAX_VALUE = 256;

/** The merchant's own entries of a parcel. */
export function MetadataFields({
  pairs,
  onChange,
}: {
  pairs: readonly Pair[];
  onChange(pairs: readonly Pair[]): void;
}) {
  const t = useText().shipment;
  const set = (at: number, pair: Pair) => onChange(pairs.with(at, pair));
  return (
    <fieldset className={css.metadata}>
      <legend>{t.metadata}</legend>
      {pairs.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place while its name is typed
        <div key={at} className={css.pair}>
          <Field label={t.metadataName}>
            {(control) => (
              <input
                {...control}
                maxLength={MAX_NAME}
                value={name}
                onChange={({ target }) => set(at, [target.value, value])}
              />
            )}
          </Field>
          <Field label={t.metadataValue}>
            {(control) => (
              <input
                {...control}
                maxLength={MAX_VALUE}
                value={value}
                onChange={({ target }) => set(at, [name, target.value])}
              />
            )}
          </Field>
          <Button look="quiet" onClick={() => onChange(pairs.toSpliced(at, 1))}>
            {t.metadataRemove} <span className="unseen">{name}</span>
          </Button>
        </div>
      ))}
      {pairs.length < MAX_PAIRS && <Button onClick={() => onChange([...pairs, ['', '']])}>{t.metadataAdd}</Button>}
    </fieldset>
  );
}
