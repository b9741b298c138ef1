/** The address of a buyer's page. */
export function pageAddress(baseUrl: string, token: string): string {
  return `${baseUrl.replace(/\/{1,99}$/, '')}/t/${token}`;
}

/** The address of the page of a tracking, for pushes; `generation` counts how often its link was renewed. */
export type PageAddressOf = (trackingId: string, generation: number) => string;
