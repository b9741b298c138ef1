import { useText } from '../../i18n/language.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Activity } from './activity.tsx';
import { Attention } from './attention.tsx';
import { Carriers } from './carriers.tsx';
import { Endpoints } from './endpoints.tsx';
import { Figures } from './figures.tsx';
import { Latest } from './latest.tsx';
import css from './overview.module.css';

/** Is everything all right, and if not, where? Each figure leads to what it counts. */
export function Overview() {
  const t = useText();
  return (
    <>
      <PageHead title={t.nav.overview}>
        <ButtonLink href="/shipments/add" look="primary">
          {t.shipments.add}
        </ButtonLink>
      </PageHead>
      <Figures />
      <div className={css.columns}>
        <div className={css.column}>
          <Attention />
          <Latest />
        </div>
        <div className={css.column}>
          <Activity />
          <Endpoints />
          <Carriers />
        </div>
      </div>
    </>
  );
}
