import { root } from './dom.ts';

/** Links into the former reference (`/docs#/Trackings/createTracking`) lead to the page of the operation. */
export function followOldAddress(): void {
  const [, operation] = /^#\/[^/]+\/(\w+)$/.exec(location.hash) ?? [];
  if (operation) location.replace(`${root().dataset.root}/reference/${operation}`);
}
