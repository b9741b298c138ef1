import type { Tracking } from '@pts/client/types';
import { useState } from 'react';
import { useMe } from '../../data/account.ts';
import { useChangeLink, useEnablePages, usePages } from '../../data/trackings.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/states.tsx';
import css from './shipment.module.css';

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
          <Replace isBusy={change.isPending} onChange={change.mutate} />
        </>
      )}
      {url === undefined && pages.data?.enabled === true && (
        <>
          <p className={css.muted}>{t.revoked}</p>
          <div className={css.actions}>
            <Button onClick={() => change.mutate('renew')} busy={change.isPending}>
              {t.create}
            </Button>
          </div>
        </>
      )}
      {url === undefined && pages.data?.enabled === false && <TurnOn />}
      {pages.error && !pages.data && <Problem error={pages.error} />}
      {change.error && <Problem error={change.error} />}
    </section>
  );
}

/** What cannot be undone is confirmed: the buyer may have the link already. */
function Replace({ isBusy, onChange }: { isBusy: boolean; onChange(change: 'renew' | 'revoke'): void }) {
  const text = useText();
  const t = text.page;
  const [requested, setRequested] = useState<'renew' | 'revoke' | null>(null);
  const confirm = () => {
    if (requested) onChange(requested);
    setRequested(null);
  };
  return (
    <div className={css.actions}>
      <Button onClick={() => setRequested('renew')} busy={isBusy}>
        {t.renew}
      </Button>
      <Button look="danger" onClick={() => setRequested('revoke')} busy={isBusy}>
        {t.revoke}
      </Button>
      {requested && (
        <Dialog title={requested === 'renew' ? t.renewSure : t.revokeSure} onClose={() => setRequested(null)}>
          <p>{t.consequence}</p>
          <div className={css.actions}>
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
  const { data: me } = useMe();
  const enable = useEnablePages();
  const isAllowed = me?.key.scopes.includes('admin') ?? false;
  return (
    <>
      <p className={css.muted}>{isAllowed ? t.off : t.offNoAdmin}</p>
      {isAllowed && (
        <div className={css.actions}>
          <Button onClick={() => enable.mutate()} busy={enable.isPending}>
            {t.turnOn}
          </Button>
        </div>
      )}
      {enable.error && <Problem error={enable.error} />}
    </>
  );
}
