import { useState } from 'react';
import { useText } from '../../i18n/language.ts';
import { CarrierSelect } from '../../ui/carrier-select.tsx';
import { type Control, Field } from '../../ui/field.tsx';
import css from './add.module.css';
import type { Shared } from './use-add.ts';

type Name = 'phone' | 'postal_code' | 'destination_country' | 'title' | 'order_id';

const MAX_LENGTHS: Readonly<Record<Name, number>> = {
  phone: 40,
  postal_code: 20,
  destination_country: 2,
  title: 200,
  order_id: 100,
};

/** What all numbers have in common: their carrier, and what it or the merchant needs to know. */
export function SharedFields({ shared, onChange }: { shared: Shared; onChange(shared: Shared): void }) {
  const t = useText();
  // What was typed before is not applied unseen.
  const [isOpen] = useState(Object.keys(shared).length > 0);
  const set = (name: Name | 'courier_code', value: string) => {
    const { [name]: _before, ...others } = shared;
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  const input = (name: Name) => (control: Control) => (
    <input
      {...control}
      value={shared[name] ?? ''}
      maxLength={MAX_LENGTHS[name]}
      onChange={(event) => set(name, event.target.value)}
    />
  );
  return (
    <details className={css.details} open={isOpen}>
      <summary>{t.add.more}</summary>
      <div className={css.fields}>
        <Field label={t.shipment.carrier}>
          {(control) => (
            <CarrierSelect
              control={control}
              value={shared.courier_code ?? ''}
              onChange={(code) => set('courier_code', code)}
            >
              <option value="">{t.add.detect}</option>
            </CarrierSelect>
          )}
        </Field>
        <Field label={t.shipment.phone} hint={t.add.phoneHint}>
          {input('phone')}
        </Field>
        <Field label={t.shipment.postalCode}>{input('postal_code')}</Field>
        <Field label={t.shipment.destination} hint={t.add.countryHint}>
          {input('destination_country')}
        </Field>
        <Field label={t.shipment.name}>{input('title')}</Field>
        <Field label={t.shipment.order}>{input('order_id')}</Field>
      </div>
    </details>
  );
}
