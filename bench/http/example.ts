/** A parcel with eight scans, like most parcels on their last day. */
export const EXAMPLE = {
  id: '0123456789abcdef01234567',
  trackingNumber: 'YT8000000000001',
  carrier: 'yto',
  status: '派送中' as const,
  subStatus: 'out_for_delivery' as const,
  scans: Array.from({ length: 8 }, (_, i) => ({
    time: `2026-01-02T03:04:0${i}Z`,
    timeRaw: '',
    zoneSource: 'default' as const,
    location: '晴川市转运中心',
    description: '快件已到达【晴川市转运中心】',
    status: 'in_transit' as const,
  })),
};
