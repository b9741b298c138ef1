import { useId, useState } from 'react';
import { keptFile } from '../../behaviour/kept-file.ts';
import { useText } from '../../i18n/language.ts';
import css from './imports.module.css';

const MAX_BYTES = 50 * 1024 * 1024;
const KINDS = '.csv,.tsv,.txt,.xlsx,.ndjson,.jsonl,text/csv,text/plain';

/** Takes a file: dropped on it, or chosen. */
export function DropZone({ onFile }: { onFile(file: File): void }) {
  const t = useText().imports;
  const id = useId();
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const take = async (file: File | undefined) => {
    setOver(false);
    if (!file) return;
    if (file.size > MAX_BYTES) return setProblem(t.tooLarge);
    if (file.size === 0) return setProblem(t.empty);
    const kept = await keptFile(file);
    if (kept === null) return setProblem(t.unreadable);
    onFile(kept);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field inside takes the same by keyboard
    <div
      className={`${css.drop} ${isOver ? css.over : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer.files[0]);
      }}
    >
      <p className={css.dropTitle}>{t.drop}</p>
      <label htmlFor={id} className={css.choose}>
        {t.choose}
      </label>
      <input
        id={id}
        type="file"
        className="unseen"
        accept={KINDS}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => {
          void take(target.files?.[0]);
          target.value = '';
        }}
      />
      <p id={`${id}-hint`} className={css.muted}>
        {t.kinds}
      </p>
      {problem !== null && (
        <p role="alert" className={css.wrong}>
          {problem}
        </p>
      )}
    </div>
  );
}
