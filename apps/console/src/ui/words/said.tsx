import { spoken } from '../../i18n/language.ts';
import type { SaidWords } from '../../i18n/said-words.ts';
import { useStore } from '../../session/store.ts';

type SaidProps = { message: string; about?: Exclude<keyof SaidWords, 'cadence'>; kind?: string };

/** What the service says, in the reader's words if its kind or its sentence has any; otherwise as it says it, in English. */
export function Said({ about, kind, message }: SaidProps) {
  const { said, translate } = useStore(spoken);
  const words = (about && kind ? said[about]?.[kind] : undefined) ?? translate(message);
  return words === null ? <span lang="en">{message}</span> : <span>{words}</span>;
}
