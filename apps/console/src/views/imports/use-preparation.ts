import { useEffect, useState } from 'react';
import { type Import, type NewImport, useImport, useStartImport } from '../../data/imports.ts';
import { isOver } from '../../data/is-over.ts';
import { type Column, columnsOf, parametersOf } from './import-columns.ts';
import { formatOf, readSample, type Sample } from './sample.ts';

/** A file that is prepared for an import: its first rows, its columns, and what the service says about it. */
export type Preparation = {
  file: File | null;
  sample: Sample | null;
  columns: readonly Column[];
  /** The dry run, once the file is uploaded. */
  examined: Import | undefined;
  isExamining: boolean;
  /** Whether columns were changed since the dry run. */
  isChanged: boolean;
  error: unknown;
  take(file: File): void;
  choose(columns: readonly Column[]): void;
  /** Examines the file again, with the chosen columns, or with the named one. */
  examine(trackingColumn?: string): void;
  /** Imports it. @param done gets the id of the import */
  run(done: (id: string) => void): void;
  isStarting: boolean;
  drop(): void;
};

export function usePreparation(): Preparation {
  const [file, setFile] = useState<File | null>(null);
  const [sample, setSample] = useState<Sample | null>(null);
  const [chosen, setChosen] = useState<readonly Column[] | null>(null);
  const [isChanged, setChanged] = useState(false);
  const examination = useStartImport();
  const start = useStartImport();
  const watched = useImport(examination.data?.id ?? null);
  const examined = examination.data ? watched.data : undefined;
  const encoding = examined?.encoding;
  useEffect(() => {
    let isCurrent = true;
    if (file) void readSample(file, encoding).then((read) => isCurrent && setSample(read));
    return () => {
      isCurrent = false;
    };
  }, [file, encoding]);
  const columns = chosen ?? columnsOf(examined, sample);

  const uploadOf = (content: File, named?: string): NewImport => ({
    content,
    format: formatOf(content.name),
    file_name: content.name,
    ...(named === undefined ? chosen && parametersOf(chosen) : { tracking_number_column: named }),
  });

  return {
    file,
    sample,
    columns,
    examined,
    isExamining: examination.isPending || (examined !== undefined && !isOver(examined)),
    isChanged,
    error: start.error ?? examination.error ?? watched.error,
    take(taken) {
      setFile(taken);
      setChosen(null);
      setChanged(false);
      setSample(null);
      examination.mutate({
        content: taken,
        format: formatOf(taken.name),
        file_name: taken.name,
        dry_run: true,
      });
    },
    choose(changed) {
      setChosen(changed);
      setChanged(true);
    },
    examine(named) {
      start.reset();
      if (file) examination.mutate({ ...uploadOf(file, named), dry_run: true });
      if (named !== undefined) setChosen(null);
      setChanged(false);
    },
    run(done) {
      const upload = examined && file && { ...uploadOf(file), ...parametersOf(columns) };
      if (upload) start.mutate(upload, { onSuccess: ({ id }) => done(id) });
    },
    isStarting: start.isPending,
    drop() {
      setFile(null);
      examination.reset();
      start.reset();
    },
  };
}
