import { spoken } from '../../i18n/language.ts';
import type { SaidWords } from '../../i18n/said-words.ts';
import { useStore } from '../../session/store.ts';

type SaidProps = { about: Exclude<keyof SaidWords, 'cadence'>; kind: string; message: string };

/** What the service says, in the reader's words if its kind has any; otherwise as it says it, in English. */
export function Said({ about, kind, message }: SaidProps) {
  const words = useStore(spoken).said?.[about][kind];
  return words === undefined ? <span lang="en">{message}</span> : <span>{words}</span>;
}
