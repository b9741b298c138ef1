/** The number and the id of the examples in the reference. */
export const EXAMPLE_ID = '691f0a3c5d2b4e6f8a9c0d1e';
export const EXAMPLE_NUMBER = 'YT8962646785999';
export const EXAMPLE_PAGE_URL = 'https://track.example.com/t/pX3nQm0b7Yd2kV9sT1cZrA';

/** A tracking as the reference shows it. */
export const TRACKING_EXAMPLE = {
  id: EXAMPLE_ID,
  tracking_number: EXAMPLE_NUMBER,
  carrier: 'yto',
  detected_carrier: 'yto',
  status: '派送中',
  sub_status: 'out_for_delivery',
  events: [
    {
      time: '2025-11-21T00:30:00Z',
      location: '杭州市',
      description: '快件正在派送中',
      status: 'out_for_delivery',
    },
  ],
  created_at: '2025-11-20T12:30:04Z',
  updated_at: '2025-11-21T00:34:12Z',
  last_checked_at: '2025-11-21T00:49:10Z',
  next_check_at: '2025-11-21T00:54:02Z',
  watch: { mode: 'polled', interval_seconds: 300 },
  order_id: 'A-1001',
};
