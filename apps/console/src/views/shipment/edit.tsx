import type { Tracking } from '@pts/client/types';
import { useState } from 'react';
import { useChangeTracking } from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { CarrierSelect } from '../../ui/carrier-select.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import css from './shipment.module.css';

/** The carrier and what the merchant calls the parcel. */
export function Edit({ tracking, onClose }: { tracking: Tracking; onClose(): void }) {
  const text = useText();
  const t = text.shipment;
  const [carrier, setCarrier] = useState(tracking.carrier);
  const change = useChangeTracking(tracking.id);

  const submit = (data: FormData) => {
    const textOf = (name: string) => String(data.get(name) ?? '').trim();
    change.mutate(
      {
        title: textOf('title') || null,
        order_id: textOf('order') || null,
        ...(carrier === tracking.carrier ? {} : { courier_code: carrier }),
      },
      { onSuccess: onClose },
    );
  };

  return (
    <Dialog title={t.edit} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit(new FormData(event.currentTarget));
        }}
      >
        <Field label={t.name}>
          {(control) => <input {...control} name="title" maxLength={200} defaultValue={tracking.title ?? ''} />}
        </Field>
        <Field label={t.order}>
          {(control) => <input {...control} name="order" maxLength={100} defaultValue={tracking.order_id ?? ''} />}
        </Field>
        <Field label={t.carrier} hint={t.carrierHint}>
          {(control) => (
            <CarrierSelect control={control} value={carrier} onChange={setCarrier}>
              <option value="auto">{t.detect}</option>
            </CarrierSelect>
          )}
        </Field>
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
