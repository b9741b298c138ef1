import { useText } from '../../i18n/language.ts';
import { Copy } from '../../ui/copy.tsx';
import css from './webhooks.module.css';

/** A secret that is shown this once. */
export function Secret({ secret }: { secret: string }) {
  const t = useText().webhooks;
  return (
    <div className={css.secret}>
      <p>{t.once}</p>
      <p>
        <code>{secret}</code> <Copy value={secret} label={t.copySecret} />
      </p>
    </div>
  );
}
