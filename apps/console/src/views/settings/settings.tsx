import type { PageSettings, PageSettingsChange } from '@pts/client/types';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../data/account.ts';
import { useChangePages, usePages } from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { faultOf } from '../../session/failure.ts';
import { Button, FileLabel } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Check, Field } from '../../ui/field.tsx';
import { PageHead, Section, sheet } from '../../ui/page.tsx';
import { Loaded, Problem } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { AccountFacts, Attention, BLANK, Fields, KeySummary, Usage } from './account.tsx';
import css from './settings.module.css';

/** The settings of the account. Each section is saved by itself, and has an address of its own. */
export function Settings() {
  const { nav, settings: t } = useText();
  const may = useMay();
  const sections: readonly (readonly [id: string, title: string, content: ReactNode])[] = [
    ['account', t.account, <AccountFacts key="account" />],
    ['usage', t.usage, <Usage key="usage" />],
    ['fields', t.fields, <Fields key="fields" />],
    ['attention', t.attention, <Attention key="attention" />],
    ['page', t.page, <TrackingPages key="page" />],
    ['keys', nav.keys, <KeySummary key="keys" />],
  ];
  return (
    <>
      <PageHead title={nav.settings} />
      <div className={css.settings}>
        <nav className={css.sections} aria-label={t.sections}>
          {sections.map(([id, title]) => (
            <a key={id} href={`#${id}`}>
              {title}
            </a>
          ))}
        </nav>
        <div className={css.content}>
          {!may('admin') && <p className={css.notice}>{t.notAllowed}</p>}
          {sections.map(([id, title, content]) => (
            <div key={id} id={id} className={css.section} ref={showIfAddressed}>
              <Section title={title}>
                <div className={`${sheet} ${css.sheet}`}>{content}</div>
              </Section>
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

/** The browser looks for the section of an address before the view is there. */
function showIfAddressed(section: HTMLElement | null): void {
  if (section && location.hash === `#${section.id}`) section.scrollIntoView();
}

function TrackingPages() {
  return (
    <Loaded read={usePages({ isEnabled: true })} blank={BLANK}>
      {(saved) => <PageForm saved={saved} />}
    </Loaded>
  );
}

/** The service's own limits of a logo. */
const MAX_LOGO_BYTES = 65_536;
const PNG = 'image/png';
/** The fields of the service that have a control with a label here. */
const FIELDS = ['name', 'color', 'shop_url', 'support_url', 'notify_url'];

/** A logo that was chosen, and is not saved yet: as the service takes it, and as the browser shows it. */
type Logo = { base64: string; address: string };

/** How pages look, beside a preview that follows what is typed. */
function PageForm({ saved }: { saved: PageSettings }) {
  const text = useText();
  const t = text.settings;
  const may = useMay();
  const change = useChangePages();
  const [changes, setChanges] = useState<PageSettingsChange>({});
  const [logo, setLogo] = useState<Logo | null>(null);
  const [logoFault, setLogoFault] = useState<string | null>(null);
  const shown = { ...saved, ...changes };
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
  const faultAt = (name: string, label: string) => faultOf(change.error, name, label, text);
  const input = (name: 'name' | 'shop_url' | 'support_url' | 'notify_url', label: string, hint?: string) => (
    <Field label={label} hint={hint} error={faultAt(name, label)}>
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
        <fieldset className={css.fields} disabled={!may('admin')}>
          <Check label={t.enabled} checked={shown.enabled} onChange={(enabled) => set({ enabled })} />
          {input('name', t.name)}
          <Field label={t.logo} hint={t.logoHint} error={logoFault}>
            {(control) => (
              <span className={css.file}>
                <input
                  {...control}
                  type="file"
                  className="unseen"
                  accept={PNG}
                  onChange={({ target }) => void choose(target.files?.[0])}
                />
                <FileLabel htmlFor={control.id}>{text.imports.choose}</FileLabel>
              </span>
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
          <Field label={t.color} hint={t.colorHint} error={faultAt('color', t.color)}>
            {(control) => (
              <input
                {...control}
                type="color"
                className={`${control.className} ${css.color}`}
                value={shown.color ?? DEFAULT_COLOR}
                onChange={({ target }) => set({ color: target.value })}
              />
            )}
          </Field>
          {input('shop_url', t.shop, 'https://shop.example')}
          {input('support_url', t.support, t.supportHint)}
          {input('notify_url', t.notify, t.notifyHint)}
          <div>
            <Check label={t.hideCarrier} checked={shown.hide_carrier} onChange={(on) => set({ hide_carrier: on })} />
            <Check label={t.hidePlaces} checked={shown.hide_places} onChange={(on) => set({ hide_places: on })} />
            <Check label={t.hideOrder} checked={shown.hide_order} onChange={(on) => set({ hide_order: on })} />
            <Check label={t.allowLookup} checked={shown.allow_lookup} onChange={(on) => set({ allow_lookup: on })} />
          </div>
          {saved.lookup_url && (
            <p className={css.lookup}>
              <a href={saved.lookup_url} target="_blank" rel="noreferrer">
                {saved.lookup_url}
                <span className="unseen"> {text.newTab}</span>
              </a>{' '}
              <Copy value={saved.lookup_url} />
            </p>
          )}
          {change.error && <Problem error={change.error} fields={FIELDS} />}
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
      <figcaption className="muted">{t.preview}</figcaption>
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
        {!shown.hide_order && <span className="muted">{t.sampleOrder}</span>}
        {!shown.hide_carrier && <span className="muted">UPS · 1Z 999 AA1 01 2345 6784</span>}
        <span>
          08:14 {subStatus.out_for_delivery}
          {!shown.hide_places && <span className="muted"> · Kiel</span>}
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
