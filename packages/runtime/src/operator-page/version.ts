/** What a build writes into its bundle (`scripts/parts/bundle.mjs`). */
declare const PTS_VERSION: string | undefined;

/** The version of the release; `source` where no bundle runs. */
export const VERSION = typeof PTS_VERSION === 'string' ? PTS_VERSION : 'source';
