import type { Notice } from '@pts/client/types';
import { Link } from 'wouter';
import { useNotices } from '../../data/account.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { SheetOf } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import css from './overview.module.css';

/** The notices about the account itself, newest first. */
export function Notices({ isWaiting }: { isWaiting: boolean }) {
  const t = useText().overview;
  const read = useNotices();
  return (
    <Section title={t.notices}>
      <SheetOf read={read} isWaiting={isWaiting} blank={{ rows: 2, shape: 'lines' }}>
        {({ pages }) => {
          const notices = pages.flatMap((page) => page.notices);
          if (notices.length === 0) return <p className={css.empty}>{t.noNotices}</p>;
          return (
            <>
              <ul>
                {notices.map((notice) => (
                  <Line key={notice.id} notice={notice} />
                ))}
              </ul>
              {read.hasNextPage && (
                <p className={css.empty}>
                  <Button onClick={() => void read.fetchNextPage()} busy={read.isFetchingNextPage}>
                    {t.olderNotices}
                  </Button>
                </p>
              )}
            </>
          );
        }}
      </SheetOf>
    </Section>
  );
}

function Line({ notice }: { notice: Notice }) {
  const t = useText().overview;
  const href = placeOf(notice);
  return (
    <li className={css.line}>
      {href ? <Link href={href}>{t.noticeKinds[notice.kind]}</Link> : <span>{t.noticeKinds[notice.kind]}</span>}
      {notice.until && <Pill tone="grey">{t.noticeOver}</Pill>}
      <span className={css.when}>
        <Time at={notice.since} />
      </span>
      <span className={css.text}>{notice.text}</span>
    </li>
  );
}

/** Where the console shows what a notice is about; null: nowhere. */
function placeOf({ kind, subject }: Notice): string | null {
  switch (kind) {
    case 'webhook_failing':
    case 'webhook_disabled':
    case 'webhook_recovered':
      return `/webhooks/${subject}`;
    case 'key_expiring':
      return '/keys';
    case 'import_ended':
      return `/imports/${subject}`;
    default:
      return null;
  }
}
