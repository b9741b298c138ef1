import type { PageSettings, PageSettingsChange } from '@pts/client/types';
import { useState } from 'react';
import { useAccount, useMe } from '../../data/account.ts';
import { useChangePages, usePages } from '../../data/trackings.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Check, Field } from '../../ui/field.tsx';
import { PageHead, Section, sheet } from '../../ui/page.tsx';
import { ErrorState, Problem, Skeleton } from '../../ui/states.tsx';
import { FullTime } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './settings.module.css';

/** The account with its usage, and the pages that its buyers see. */
export function Settings() {
  const t = useText();
  return (
    <>
      <PageHead title={t.nav.settings} />
      <div className={css.settings}>
        <Account />
        <TrackingPages />
      </div>
    </>
  );
}

function Account() {
  const { account: t, quota, settings } = useText();
  const format = useFormat();
  const { data: me } = useMe();
  const { data: account } = useAccount();
  if (!me || !account) return null;
  const { quota_used: used, quota_limit: limit } = account;
  return (
    <Section title={settings.usage}>
      <div className={`${sheet} ${css.sheet}`}>
        <dl className={css.facts}>
          <dt>{t.title}</dt>
          <dd>{me.name}</dd>
          <dt>{settings.id}</dt>
          <dd>
            <code>{me.account_id}</code> <Copy value={me.account_id} />
          </dd>
          <dt>{t.plan}</dt>
          <dd>{account.plan}</dd>
          <dt>{quota.title}</dt>
          <dd>
            {quota.share(format.number(used), format.number(limit))}, {quota.reset.toLowerCase()}{' '}
            <FullTime at={account.resets_at} />
          </dd>
        </dl>
        <meter
          className={css.meter}
          aria-label={quota.title}
          max={Math.max(limit, 1)}
          high={0.8 * limit}
          optimum={0}
          value={Math.min(used, limit)}
        />
      </div>
    </Section>
  );
}

function TrackingPages() {
  const t = useText().settings;
  const { data, error, isPending, refetch } = usePages({ isEnabled: true });
  return (
    <Section title={t.page}>
      <div className={`${sheet} ${css.sheet}`}>
        {isPending && <Skeleton label={t.loading} rows={4} />}
        {error && !data && <ErrorState error={error} retry={refetch} />}
        {data && <PageForm saved={data} />}
      </div>
    </Section>
  );
}

/** The service's own limits of a logo. */
const MAX_LOGO_BYTES = 65_536;
const PNG = 'image/png';

/** A logo that was chosen, and is not saved yet: as the service takes it, and as the browser shows it. */
type Logo = { base64: string; address: string };

/** How pages look, beside a preview that follows what is typed. */
function PageForm({ saved }: { saved: PageSettings }) {
  const text = useText();
  const t = text.settings;
  const { data: me } = useMe();
  const change = useChangePages();
  const [changes, setChanges] = useState<PageSettingsChange>({});
  const [logo, setLogo] = useState<Logo | null>(null);
  const [logoFault, setLogoFault] = useState<string | null>(null);
  const shown = { ...saved, ...changes };
  const isAllowed = me?.key.scopes.includes('admin') ?? false;
  const set = (some: PageSettingsChange) => setChanges((before) => ({ ...before, ...some }));
  const choose = async (file: File | undefined) => {
    if (!file) return;
    if (file.type !== PNG || file.size > MAX_LOGO_BYTES) {
      setLogoFault(t.logoFault);
      return;
    }
    const address = await dataAddress(file);
    setLogoFault(null);
    setLogo({ base64: address.slice(address.indexOf(',') + 1), address });
  };
  const save = () => {
    const wanted = { ...changes, ...(logo && { logo: logo.base64 }) };
    const done = () => {
      setChanges((now) => (now === changes ? {} : now));
      setLogo(null);
      toast(text.webhooks.saved);
    };
    if (Object.keys(wanted).length === 0) done();
    else change.mutate(wanted, { onSuccess: done });
  };
  const input = (name: 'name' | 'shop_url' | 'support_url', label: string, hint?: string) => (
    <Field label={label} hint={hint}>
      {(control) => (
        <input
          {...control}
          value={shown[name] ?? ''}
          onChange={({ target }) => set({ [name]: target.value || null })}
        />
      )}
    </Field>
  );
  return (
    <div className={css.page}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {!isAllowed && <p className={css.muted}>{t.notAllowed}</p>}
        <fieldset className={css.fields} disabled={!isAllowed}>
          <Check label={t.enabled} checked={shown.enabled} onChange={(enabled) => set({ enabled })} />
          {input('name', t.name)}
          <Field label={t.logo} hint={t.logoHint} error={logoFault}>
            {(control) => (
              <input {...control} type="file" accept={PNG} onChange={({ target }) => void choose(target.files?.[0])} />
            )}
          </Field>
          {(saved.logo !== null || logo !== null) && shown.logo !== null && (
            <Button
              look="quiet"
              onClick={() => {
                setLogo(null);
                set({ logo: null });
              }}
            >
              {t.removeLogo}
            </Button>
          )}
          <Field label={t.color} hint={t.colorHint}>
            {(control) => (
              <input
                {...control}
                type="color"
                value={shown.color ?? DEFAULT_COLOR}
                onChange={({ target }) => set({ color: target.value })}
              />
            )}
          </Field>
          {input('shop_url', t.shop, 'https://shop.example')}
          {input('support_url', t.support, t.supportHint)}
          <Check label={t.hideCarrier} checked={shown.hide_carrier} onChange={(on) => set({ hide_carrier: on })} />
          <Check label={t.hidePlaces} checked={shown.hide_places} onChange={(on) => set({ hide_places: on })} />
          {change.error && <Problem error={change.error} />}
          <div>
            <Button type="submit" look="primary" busy={change.isPending}>
              {text.save}
            </Button>
          </div>
        </fieldset>
      </form>
      <Preview shown={shown} logo={logo} />
    </div>
  );
}

const DEFAULT_COLOR = '#1f5fbf';

/** The page as a buyer sees it on a phone. */
function Preview({ shown, logo }: { shown: Omit<PageSettings, 'logo'> & { logo?: unknown }; logo: Logo | null }) {
  const { settings: t, subStatus } = useText();
  const color = shown.color ?? DEFAULT_COLOR;
  return (
    <figure className={css.preview}>
      <figcaption className={css.muted}>{t.preview}</figcaption>
      <div className={css.phone} aria-hidden="true">
        {logo ? <img src={logo.address} alt="" className={css.logo} /> : <strong>{shown.name ?? t.yourShop}</strong>}
        <span className={css.headline}>{t.sampleHeadline}</span>
        <ol className={css.steps}>
          {[1, 2, 3, 4].map((step) => (
            <li key={step} style={{ borderColor: step < 4 ? color : undefined }} />
          ))}
        </ol>
        <strong>{subStatus.out_for_delivery}</strong>
        {shown.notify_url && <span style={{ color }}>{t.sampleNotify}</span>}
        {!shown.hide_order && <span className={css.muted}>{t.sampleOrder}</span>}
        {!shown.hide_carrier && <span className={css.muted}>UPS · 1Z 999 AA1 01 2345 6784</span>}
        <span>
          08:14 {subStatus.out_for_delivery}
          {!shown.hide_places && <span className={css.muted}> · Kiel</span>}
        </span>
        {shown.support_url && <span style={{ color }}>{t.sampleHelp}</span>}
      </div>
    </figure>
  );
}

/** A file as an address that holds all of it. */
function dataAddress(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
