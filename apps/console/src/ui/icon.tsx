/** Drawn with lines, on a square of 16 units. */
const PATHS = {
  overview: 'M2 13.5h12M4 13.5V9M8 13.5V3M12 13.5V6',
  shipments: 'M8 1.75l5.75 3v6.5L8 14.25l-5.75-3v-6.5zM2.25 4.75L8 7.75l5.75-3M8 7.75v6.5M5 3.25l5.75 3',
  webhooks: 'M6.5 9.5l3-3M7 4.5l1.75-1.75a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.75 1.75a3 3 0 0 1-4.5-4.5L4.5 7',
  imports: 'M8 2v8M4.75 7L8 10.25 11.25 7M2.25 10.5v3.25h11.5V10.5',
  keys: 'M9.25 6.75a3.25 3.25 0 1 0-2.5 2.5L8 10.5h1.5V12H11v1.75h2.75v-2.5z',
  people:
    'M6 7.25a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.75 13.5c0-2.5 1.75-4 4.25-4s4.25 1.5 4.25 4M10.5 2.6a2.4 2.4 0 0 1 0 4.4M12 9.75c1.5.5 2.25 1.9 2.25 3.75',
  settings: 'M2 4.5h6.5M12 4.5h2M2 11.5h2M7.5 11.5H14M10.25 2.75v3.5M5.75 9.75v3.5',
  docs: 'M3 2.25h6.5L13 5.75v8H3zM9.25 2.5V6H13M5.5 9h5M5.5 11.25h5',
  down: 'M4.5 6.5L8 10l3.5-3.5',
  leaves: 'M6.5 3.5H3v9.5h9.5V9.5M9 2.75h4.25V7M13 3L7.5 8.5',
} as const;

/** A picture beside its word, which says the same. */
export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
    >
      <path d={PATHS[name]} strokeLinejoin="round" strokeLinecap="round" />
    </svg>
  );
}

/** The mark: a parcel, with the last stop of its way. */
export function Mark() {
  return (
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="var(--accent)" />
      <path
        d="M7 18.5V5.5h6.25a4 4 0 0 1 0 8H7"
        fill="none"
        stroke="var(--on-accent)"
        strokeWidth="2.25"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      <circle cx="16.75" cy="18" r="1.75" fill="var(--on-accent)" />
    </svg>
  );
}
