// A bundle's source map, without its dependencies. Node parses the whole map when something reads the first stack trace
// of a process, and keeps the result: with the dependencies, which are most of a bundle, the thread would stop for 150
// to 230 ms, also for an idle connection that undici closes with an error that nobody sees.
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { isOwn } from './builds.mjs';

/**
 * @param {string} text JSON, as esbuild writes it.
 * @returns {string} JSON. What comes from a dependency has no source: a stack trace shows its place in the bundle.
 */
export function ownSourceMap(text) {
  const map = JSON.parse(text);
  const sources = map.sources.filter(isOwn);
  const places = map.sources.map((source) => sources.indexOf(source));
  let hasSource = false;
  /** The first segment of a dependency ends the last one of ours; those after it say nothing more. */
  const own = ([column, source, ...original]) => {
    const hadSource = hasSource;
    const place = places[source] ?? -1;
    hasSource = place !== -1;
    if (hasSource) return [[column, place, ...original]];
    return hadSource ? [[column]] : [];
  };
  const lines = decode(map.mappings).map((segments) => segments.flatMap(own));
  return JSON.stringify({ ...map, sources, mappings: encode(lines) });
}
