import { Link } from 'wouter';
import { localDay } from '../behaviour/dates.ts';
import { useAccount, useMe } from '../data/account.ts';
import { feed } from '../data/feed.ts';
import { useFormat } from '../i18n/format.ts';
import { useText } from '../i18n/language.ts';
import { connection, SERVICE_URL } from '../session/connection.ts';
import { chooseTheme, theme } from '../session/preferences.ts';
import { signOut, useIsTest } from '../session/session.ts';
import { useStore } from '../session/store.ts';
import { Button } from '../ui/button.tsx';
import { Choice, LanguageChoice } from '../ui/choice.tsx';
import { Copy, Cut } from '../ui/copy.tsx';
import { Icon, Mark } from '../ui/icon.tsx';
import { Pill } from '../ui/pill.tsx';
import { FullTime } from '../ui/time.tsx';
import css from './frame.module.css';

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function TopBar({ onSearch, onHelp }: { onSearch(): void; onHelp(): void }) {
  const t = useText();
  const format = useFormat();
  const isTest = useIsTest();
  const { lostAt } = useStore(connection);
  const isLive = useStore(feed).isLive && lostAt === null;
  const { data: account } = useAccount();
  const { data: me } = useMe();
  return (
    <header className={css.top}>
      <Link href="/" className={css.brand}>
        <Mark />
        <span className={css.wordmark}>{t.brand}</span>
      </Link>
      <button type="button" className={css.search} onClick={onSearch} aria-keyshortcuts="Meta+K Control+K /">
        <span className={css.searchWords}>{t.search.open}</span>
        <span className={css.searchWord}>{t.help.search}</span>
        <kbd className={css.shortcut}>{IS_APPLE ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <div className={css.status}>
        {isTest && <Pill tone="violet">{t.testMode.title}</Pill>}
        <span className={`${css.live} ${isLive ? '' : css.paused}`}>{isLive ? t.live.on : t.live.off}</span>
        {account && (
          <Link
            href={`/shipments?sort=-created_at&created=${localDay(new Date(account.period_start))}..`}
            className={css.quota}
            title={t.quota.resets(format.dateTime(new Date(account.resets_at)))}
          >
            {t.quota.used(format.number(account.quota_used), format.number(account.quota_limit))}
          </Link>
        )}
      </div>
      <div className={css.account}>
        <Button look="quiet" popoverTarget="account-menu">
          {me?.member ? (me.member.name ?? me.member.email) : (me?.name ?? t.account.title)}
          <Icon name="down" />
        </Button>
        <AccountMenu onHelp={onHelp} />
      </div>
    </header>
  );
}

function AccountMenu({ onHelp }: { onHelp(): void }) {
  const t = useText();
  const format = useFormat();
  const chosenTheme = useStore(theme);
  const { data: account } = useAccount();
  const { data: me } = useMe();
  return (
    <div id="account-menu" popover="auto" className={css.menu}>
      <dl className={css.facts}>
        {me && (
          <>
            <dt>{t.account.id}</dt>
            <dd>
              {me.member && me.name} <Cut value={me.account_id} /> <Copy value={me.account_id} />
            </dd>
            {me.member ? (
              <>
                <dt>{t.account.person}</dt>
                <dd>{me.member.email}</dd>
                <dt>{t.account.role}</dt>
                <dd>{t.people.roleNames[me.member.role]}</dd>
              </>
            ) : (
              <>
                <dt>{t.account.key}</dt>
                <dd>
                  <code>{me.key.hint}</code>
                </dd>
              </>
            )}
          </>
        )}
        {account && (
          <>
            <dt>{t.account.plan}</dt>
            <dd>{account.plan}</dd>
            <dt>{t.quota.title}</dt>
            <dd>{t.quota.share(format.number(account.quota_used), format.number(account.quota_limit))}</dd>
            <dt>{t.quota.reset}</dt>
            <dd>
              <FullTime at={account.resets_at} />
            </dd>
          </>
        )}
      </dl>
      <LanguageChoice />
      <Choice
        label={t.theme.title}
        options={[
          { value: 'system', label: t.theme.system },
          { value: 'light', label: t.theme.light },
          { value: 'dark', label: t.theme.dark },
        ]}
        value={chosenTheme}
        onChange={(value) => chooseTheme(value as 'system' | 'light' | 'dark')}
      />
      <div className={css.links}>
        <a href={`${SERVICE_URL}/docs`} target="_blank" rel="noreferrer">
          {t.nav.docs} <Icon name="leaves" />
          <span className="unseen"> {t.newTab}</span>
        </a>
        <Button look="quiet" popoverTarget="account-menu" popoverTargetAction="hide" onClick={onHelp}>
          {t.help.title}
        </Button>
      </div>
      <Button onClick={() => signOut()}>{t.account.signOut}</Button>
    </div>
  );
}
