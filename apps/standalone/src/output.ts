import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const WIDTH = 10;
const COLOURS = [36, 32, 33, 35, 34];

export type Output = {
  /** A line of one process: `api        | …`. */
  line(name: string, text: string): void;
  /** Every line of a stream, as it arrives. */
  lines(name: string, stream: Readable, onLine?: (text: string) => void): void;
  /** Text for the user, unchanged. */
  plain(text: string): void;
  /** Drops the lines of processes while `isMuted` returns true. */
  muteWhen(isMuted: () => boolean): void;
};

/** Several processes' lines on one stream, each after the process's name; the names are in colour on a terminal. */
export function createOutput(stream: { write(text: string): unknown }, colourful: boolean): Output {
  let muted = () => false;
  const colours = new Map<string, number>();
  const colourOf = (name: string) => {
    const colour = colours.get(name) ?? COLOURS[colours.size % COLOURS.length] ?? 0;
    colours.set(name, colour);
    return colour;
  };
  const prefix = (name: string) => {
    const label = `${name.padEnd(WIDTH)} |`;
    return colourful ? `\u001b[${colourOf(name)}m${label}\u001b[0m` : label;
  };
  const line = (name: string, text: string) => {
    if (!muted()) stream.write(`${prefix(name)} ${text}\n`);
  };
  return {
    line,
    lines(name, source, onLine = () => {}) {
      createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (text) => {
        line(name, text);
        onLine(text);
      });
    },
    plain: (text) => void stream.write(`${text}\n`),
    muteWhen(isMuted) {
      muted = isMuted;
    },
  };
}
