import type { Tracking, TrackingChange } from '@pts/client/types';
import { useState } from 'react';
import type { useChangeTracking } from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { CarrierSelect } from '../../ui/carrier-select.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { MetadataFields, type Pair } from './metadata-fields.tsx';
import css from './shipment.module.css';

const MAX_LENGTHS = { title: 200, order_id: 100, phone: 40, postal_code: 20, destination_country: 2 } as const;
type Name = keyof typeof MAX_LENGTHS;
const NAMES = Object.keys(MAX_LENGTHS) as readonly Name[];

type EditProps = { tracking: Tracking; change: ReturnType<typeof useChangeTracking>; onClose(): void };

/** The carrier, what it needs besides the number, and what the merchant calls the parcel. */
export function Edit({ tracking: current, change, onClose }: EditProps) {
  const text = useText();
  const t = text.shipment;
  // As it was when the form appeared: what news changes meanwhile, such as the carrier, is no change of the reader's.
  const [tracking] = useState(current);
  const [carrier, setCarrier] = useState(tracking.carrier);
  const [pairs, setPairs] = useState<readonly Pair[]>(() => Object.entries(tracking.metadata ?? {}));

  const submit = (data: FormData) => {
    const wanted = changeOf(tracking, data, { carrier, pairs });
    if (Object.keys(wanted).length === 0) onClose();
    else change.mutate(wanted, { onSuccess: onClose });
  };
  const input = (name: Name, label: string, hint?: string) => (
    <Field label={label} hint={hint}>
      {(control) => (
        <input {...control} name={name} maxLength={MAX_LENGTHS[name]} defaultValue={tracking[name] ?? ''} />
      )}
    </Field>
  );

  return (
    <Dialog title={t.edit} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit(new FormData(event.currentTarget));
        }}
      >
        {input('title', t.name)}
        {input('order_id', t.order)}
        <Field label={t.carrier} hint={t.carrierHint}>
          {(control) => (
            <CarrierSelect control={control} value={carrier} onChange={setCarrier}>
              <option value="auto">{t.detect}</option>
            </CarrierSelect>
          )}
        </Field>
        {input('phone', t.phone, text.add.phoneHint)}
        {input('postal_code', t.postalCode)}
        {input('destination_country', t.destination, text.add.countryHint)}
        <MetadataFields pairs={pairs} onChange={setPairs} />
        {change.error && <Problem error={change.error} />}
        <div className={css.actions}>
          <Button type="submit" look="primary" busy={change.isPending}>
            {text.save}
          </Button>
          <Button onClick={onClose}>{text.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Only what differs: a carrier is not asked again about what it knows. */
function changeOf(
  tracking: Tracking,
  data: FormData,
  { carrier, pairs }: { carrier: string; pairs: readonly Pair[] },
): TrackingChange {
  const texts = NAMES.flatMap((name) => {
    const value = String(data.get(name) ?? '').trim();
    return value === (tracking[name] ?? '') ? [] : [[name, value || null]];
  });
  const metadata = Object.fromEntries(pairs.map(([key, value]) => [key.trim(), value]).filter(([key]) => key !== ''));
  const isSame = JSON.stringify(metadata) === JSON.stringify(tracking.metadata ?? {});
  return {
    ...Object.fromEntries(texts),
    ...(isSame ? {} : { metadata: Object.keys(metadata).length === 0 ? null : metadata }),
    ...(carrier === tracking.carrier ? {} : { courier_code: carrier }),
  };
}
