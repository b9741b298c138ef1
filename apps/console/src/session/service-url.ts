/** The page's own script: its name changes with each build. */
const script = new URL(import.meta.url);

/** In front of every path of the service; empty unless it is served below a path. */
const prefix = script.pathname.slice(0, Math.max(0, script.pathname.lastIndexOf('/console/assets/')));

/** Where the service is. */
export const SERVICE_URL = `${location.origin}${prefix}`;
/** The path of the console. */
export const CONSOLE_PATH = `${prefix}/console`;
