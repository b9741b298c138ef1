import type { Tracking } from '@pts/client/types';
import { useCouriers } from '../../data/account.ts';
import { useChangeTracking } from '../../data/trackings.ts';
import { spoken, useText } from '../../i18n/language.ts';
import { useStore } from '../../session/store.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import css from './shipment.module.css';

/** The carrier and what the merchant calls the parcel. */
export function Edit({ tracking, onClose }: { tracking: Tracking; onClose(): void }) {
  const text = useText();
  const t = text.shipment;
  const { language } = useStore(spoken);
  const { data: couriers = [] } = useCouriers();
  const change = useChangeTracking(tracking.id);
  const nameOf = (courier: (typeof couriers)[number]) =>
    language === 'zh' ? courier.courier_name_zh : courier.courier_name;
  const trackable = couriers
    .filter((courier) => courier.trackable || courier.courier_code === tracking.carrier)
    .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), language));

  const submit = (data: FormData) => {
    const textOf = (name: string) => String(data.get(name) ?? '').trim();
    const carrier = textOf('carrier');
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
            <select {...control} name="carrier" defaultValue={tracking.carrier}>
              <option value="auto">{t.detect}</option>
              {trackable.map((courier) => (
                <option key={courier.courier_code} value={courier.courier_code}>
                  {nameOf(courier)}
                </option>
              ))}
              {couriers.length === 0 && <option value={tracking.carrier}>{tracking.carrier}</option>}
            </select>
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
