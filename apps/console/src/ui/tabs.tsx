import { useAddress } from '../behaviour/address.ts';
import css from './tabs.module.css';

type Tab = { name: string; label: string };

/** Which of several tabs is shown: the address says so, the first one by default. */
export function useTab(names: readonly string[]): string {
  const shown = useAddress().get('tab') ?? '';
  return names.includes(shown) ? shown : (names[0] ?? '');
}

/** Links to the tabs of a view. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const address = useAddress();
  const shown = useTab(tabs.map(({ name }) => name));
  return (
    <nav aria-label={label} className={css.tabs}>
      {tabs.map(({ name, label: words }, at) => (
        <button
          key={name}
          type="button"
          className={css.tab}
          aria-current={name === shown ? 'page' : undefined}
          onClick={() => address.set({ tab: at === 0 ? null : name }, { replace: true })}
        >
          {words}
        </button>
      ))}
    </nav>
  );
}
