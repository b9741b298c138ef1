import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { takeHandedFile } from '../../data/handed-file.ts';
import { useText } from '../../i18n/language.ts';
import { PageHead, Section } from '../../ui/page.tsx';
import { DropZone } from './drop-zone.tsx';
import { ImportList } from './import-list.tsx';
import css from './imports.module.css';
import { Prepare } from './prepare.tsx';
import { usePreparation } from './use-preparation.ts';

/** Imports a file: its columns, what it would do and cost, then the import; and the last imports. */
export function Imports() {
  const t = useText().imports;
  const [, navigate] = useLocation();
  const preparation = usePreparation();
  const { take } = preparation;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is handed on once
  useEffect(() => {
    const handed = takeHandedFile();
    if (handed) take(handed);
  }, []);
  return (
    <div className={css.page}>
      <PageHead title={t.title} />
      {preparation.file === null ? (
        <DropZone onFile={preparation.take} />
      ) : (
        <Prepare
          file={preparation.file}
          preparation={preparation}
          onRun={() => preparation.run((id) => navigate(`/imports/${id}`))}
        />
      )}
      <Section title={t.last}>
        <ImportList />
      </Section>
    </div>
  );
}
