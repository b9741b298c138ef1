/** How a parcel is tracked. More modes may be added. */
export const WATCH_MODES = ['polled', 'pushed', 'final_look', 'stopped'] as const;
export type WatchMode = (typeof WATCH_MODES)[number];

/** How a tracking is polled. */
export const watch = {
  title: 'TrackingWatch',
  type: 'object',
  description: 'How the parcel is tracked, and so how fresh its data is.',
  required: ['mode', 'interval_seconds'],
  properties: {
    mode: {
      type: 'string',
      description:
        '`polled`: its carrier is checked regularly. `pushed`: its news is pushed to the service, and checks are only a safety net. `final_look`: it has arrived and is checked one last time. `stopped`: polling has stopped; a retrack resumes it. More values may be added.',
      examples: ['polled'],
    },
    interval_seconds: {
      type: ['integer', 'null'],
      description:
        'Seconds from one check to the next, ±10 %: 300 while the account has an enabled webhook, 3600 otherwise, and never less than the provider allows; 21600 where news is pushed. Installations can change these values. Null if checks are not regular.',
      examples: [300],
    },
  },
} as const;
