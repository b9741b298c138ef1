import type { Tracking, TrackingChange } from '@pts/client/types';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { useHotkeys } from '../../behaviour/typing.ts';
import { useMay } from '../../data/account.ts';
import {
  useChangeLink,
  useChangePages,
  useChangeTracking,
  usePages,
  useRemoval,
  useRetrack,
  useStop,
} from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { faultOf } from '../../session/failure.ts';
import { Button } from '../../ui/button.tsx';
import { CarrierSelect } from '../../ui/carrier.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Allowed } from '../../ui/may.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Problem } from '../../ui/states.tsx';
import { toast, toastWithUndo, useToastFailure } from '../../ui/toast.tsx';
import css from './shipment.module.css';

/** Check now, and in a menu: correct, stop checking, remove. Undo restores what was removed. */
export function Actions({
  tracking,
  after,
  onGone = () => {},
}: {
  tracking: Tracking;
  after: string | null;
  onGone?: (() => void) | undefined;
}) {
  const t = useText().shipment;
  const { id, tracking_number, watch } = tracking;
  const address = useAddress();
  const [, navigate] = useLocation();
  const removal = useRemoval();
  const toastFailure = useToastFailure();
  const retrack = useRetrack(id);
  const stop = useStop(id);
  // Not in the form: what is refused is said also if the form was closed before.
  const change = useChangeTracking(id);
  const isEditing = address.get('edit') !== null;
  const closeEdit = () => {
    change.forget();
    address.set({ edit: null }, { replace: true });
  };
  const check = () => {
    // Pressed again: the refusal of the second would hide that the first is done.
    if (!retrack.isPending) retrack.mutate(undefined, { onSuccess: () => toast(t.checking) });
  };
  const may = useMay();
  useHotkeys(may('write') ? { r: check } : {}, { inModal: after === null });

  const remove = async () => {
    try {
      await removal.remove(id);
    } catch (error) {
      toastFailure(error);
      return;
    }
    toastWithUndo(t.removed(tracking_number), { undo: () => void removal.restore([id]).catch(toastFailure) });
    onGone();
    if (after !== null) navigate(after);
  };

  return (
    <>
      <div className="actions">
        <Allowed needs="write">
          <Button onClick={check} busy={retrack.isPending}>
            {t.check}
          </Button>
          <Menu label={t.more}>
            <Button onClick={() => address.set({ edit: '1' }, { replace: true })} busy={change.isPending}>
              {t.edit}
            </Button>
            {watch.mode !== 'stopped' && (
              <Button
                onClick={() => stop.mutate(undefined, { onSuccess: () => toast(t.stopped) })}
                busy={stop.isPending}
              >
                {t.stop}
              </Button>
            )}
            <Button look="danger" onClick={remove}>
              {t.remove}
            </Button>
          </Menu>
        </Allowed>
      </div>
      {retrack.error && <Problem error={retrack.error} />}
      {stop.error && <Problem error={stop.error} />}
      {change.error && !isEditing && <Problem error={change.error} />}
      {isEditing && may('write') && <Edit tracking={tracking} change={change} onClose={closeEdit} />}
    </>
  );
}

const MAX_LENGTHS = { title: 200, order_id: 100, phone: 40, postal_code: 20, destination_country: 2 } as const;
type Name = keyof typeof MAX_LENGTHS;
const NAMES = Object.keys(MAX_LENGTHS) as readonly Name[];

type EditProps = { tracking: Tracking; change: ReturnType<typeof useChangeTracking>; onClose(): void };

/** The carrier, what it needs besides the number, and what the merchant calls the parcel. */
function Edit({ tracking: current, change, onClose }: EditProps) {
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
    <Field label={label} hint={hint} error={faultOf(change.error, name, label, text)}>
      {(control) => (
        <input {...control} name={name} maxLength={MAX_LENGTHS[name]} defaultValue={tracking[name] ?? ''} />
      )}
    </Field>
  );

  return (
    <Dialog title={t.edit} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit(new FormData(event.currentTarget));
        }}
      >
        {input('title', t.name)}
        {input('order_id', t.order)}
        <Field label={t.carrier} hint={t.carrierHint} error={faultOf(change.error, 'courier_code', t.carrier, text)}>
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
        {change.error && <Problem error={change.error} fields={[...NAMES, 'courier_code']} />}
        <div className="actions">
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

/** The name and the value of an entry of the metadata. */
type Pair = readonly [name: string, value: string];

const MAX_PAIRS = 10;
const MAX_NAME = 40;
const MAX_VALUE = 256;

/** The merchant's own entries of a parcel. */
function MetadataFields({ pairs, onChange }: { pairs: readonly Pair[]; onChange(pairs: readonly Pair[]): void }) {
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

/** The link to the page that the buyer of the parcel sees. */
export function BuyersPage({ tracking: { id, tracking_page_url: url } }: { tracking: Tracking }) {
  const t = useText().page;
  const pages = usePages({ isEnabled: url === undefined });
  const change = useChangeLink(id);
  return (
    <section className={css.page}>
      <h2>{t.title}</h2>
      {url !== undefined && (
        <>
          <p className={css.address}>
            <a href={url} target="_blank" rel="noreferrer">
              {url}
            </a>{' '}
            <Copy value={url} label={t.copy} />
          </p>
          <Allowed needs="write" silent>
            <Replace isBusy={change.isPending} onChange={change.mutate} />
          </Allowed>
        </>
      )}
      {url === undefined && pages.data?.enabled === true && (
        <>
          <p className="muted">{t.revoked}</p>
          <div className="actions">
            <Allowed needs="write" silent>
              <Button onClick={() => change.mutate('renew')} busy={change.isPending}>
                {t.create}
              </Button>
            </Allowed>
          </div>
        </>
      )}
      {url === undefined && pages.data?.enabled === false && <TurnOn />}
      {pages.error && !pages.data && <Problem error={pages.error} />}
      {change.error && <Problem error={change.error} />}
    </section>
  );
}

/** Has changes confirmed that cannot be undone: the buyer may have the link already. */
function Replace({ isBusy, onChange }: { isBusy: boolean; onChange(change: 'renew' | 'revoke'): void }) {
  const text = useText();
  const t = text.page;
  const [requested, setRequested] = useState<'renew' | 'revoke' | null>(null);
  const confirm = () => {
    if (requested) onChange(requested);
    setRequested(null);
  };
  return (
    <div className="actions">
      <Button onClick={() => setRequested('renew')} busy={isBusy}>
        {t.renew}
      </Button>
      <Button look="danger" onClick={() => setRequested('revoke')} busy={isBusy}>
        {t.revoke}
      </Button>
      {requested && (
        <Dialog title={requested === 'renew' ? t.renewSure : t.revokeSure} onClose={() => setRequested(null)}>
          <p>{t.consequence}</p>
          <div className="actions">
            <Button look="danger" onClick={confirm}>
              {requested === 'renew' ? t.renew : t.revoke}
            </Button>
            <Button onClick={() => setRequested(null)}>{text.cancel}</Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** The pages of all parcels, for which a key needs the scope of an administrator. */
function TurnOn() {
  const t = useText().page;
  const enable = useChangePages();
  const isAllowed = useMay()('admin');
  return (
    <>
      <p className="muted">{isAllowed ? t.off : t.offNoAdmin}</p>
      {isAllowed && (
        <div className="actions">
          <Button onClick={() => enable.mutate({ enabled: true })} busy={enable.isPending}>
            {t.turnOn}
          </Button>
        </div>
      )}
      {enable.error && <Problem error={enable.error} />}
    </>
  );
}
