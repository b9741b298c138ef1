import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/language.ts';
import { sheet } from '../../ui/page.tsx';
import { Skeleton, type SkeletonProps } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';

type SheetOfProps<T> = {
  read: UseQueryResult<T>;
  /** While other parts are being read for the first time, this one is not shown either. */
  isWaiting: boolean;
  blank: Omit<SkeletonProps, 'label'>;
  children(data: T): ReactNode;
};

/** What was read, on a sheet; until then what stands for it, or why it could not be read. */
export function SheetOf<T>({ read, isWaiting, blank, children }: SheetOfProps<T>) {
  const t = useText();
  const { data, error, isPending, refetch } = read;
  const shown = () => {
    if (isWaiting || isPending) return <Skeleton label={t.shipments.loading} {...blank} />;
    if (data !== undefined) return children(data);
    return error && <ErrorState error={error} retry={refetch} />;
  };
  return <div className={sheet}>{shown()}</div>;
}
