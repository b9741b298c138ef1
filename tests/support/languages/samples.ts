import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sample, SampleLanguage } from '../../../apps/portal/src/reference/samples.ts';
import { lacking } from './languages.ts';
import { findPhp } from './php.ts';
import { outputOf } from './shell.ts';

/** A sample of an operation. */
export type NamedSample = Sample & { id: string };

/** How all samples of a language run as one program, which writes `@@ID` before the output of each. */
export type Runner = {
  /** Why it cannot run; undefined if it can. */
  lacks: string | undefined;
  files(samples: readonly NamedSample[]): Record<string, string>;
  command: string[];
};

const mark = (id: string) => `\n@@${id}\n`;
const inLines = (samples: readonly NamedSample[], one: (sample: NamedSample, index: number) => string) =>
  samples.map(one).join('\n');

const php = await findPhp();

export const RUNNERS: Record<SampleLanguage, Runner> = {
  curl: {
    lacks: lacking('curl', '--version'),
    files: (samples) => ({
      'samples.sh': inLines(
        samples,
        ({ id, text }) => `printf '${mark(id)}'\n${text.replace('curl', 'curl --silent')}`,
      ),
    }),
    command: ['bash', 'samples.sh'],
  },
  JavaScript: {
    lacks: undefined,
    files: (samples) => {
      const calls = inLines(samples, ({ id, text }) => {
        // The sample does not return its promise.
        const body = text.replace(/^fetch\(/m, 'return fetch(');
        return `process.stdout.write(${JSON.stringify(mark(id))}); await (() => {${body}})();`;
      });
      const show = 'console.log = (x) => process.stdout.write(typeof x === "string" ? x : JSON.stringify(x));';
      return { 'samples.mjs': `${show}\n${calls}` };
    },
    command: [process.execPath, 'samples.mjs'],
  },
  Python: {
    lacks: lacking('python3', '-c', 'import requests'),
    files: (samples) => ({
      'samples.py': inLines(samples, ({ id, text }) => `print(${JSON.stringify(mark(id))})\n${text}`),
    }),
    command: ['python3', 'samples.py'],
  },
  Go: {
    lacks: lacking('go', 'version'),
    files: (samples) => ({
      'go.mod': 'module samples\n\ngo 1.21\n',
      ...Object.fromEntries(
        samples.map(({ id, text }) => [`sample_${id}.go`, text.replace('func main()', `func ${id}()`)]),
      ),
      'main.go': `package main\n\nimport "fmt"\n\nfunc main() {\n${inLines(
        samples,
        ({ id }) => `fmt.Print(${JSON.stringify(mark(id))})\n${id}()`,
      )}\n}\n`,
    }),
    command: ['go', 'run', '.'],
  },
  Java: {
    lacks: lacking('java', '--version'),
    files: (samples) => ({
      'Samples.java': `import java.net.URI;
import java.net.http.*;

public class Samples {
${inLines(samples, ({ id, text }) => `static void ${id}() throws Exception {\n${text}\n}`)}
public static void main(String[] args) throws Exception {
${inLines(samples, ({ id }) => `System.out.print(${JSON.stringify(mark(id))}); ${id}();`)}
}
}
`,
    }),
    command: ['java', '-Dfile.encoding=UTF-8', 'Samples.java'],
  },
  PHP: {
    lacks: php.lacks,
    files: (samples) => ({
      ...Object.fromEntries(samples.map(({ id, text }) => [`${id}.php`, text])),
      'samples.php': `<?php\n${inLines(
        samples,
        ({ id }) => `echo ${JSON.stringify(mark(id))}; (function () { require ${JSON.stringify(`./${id}.php`)}; })();`,
      )}\n`,
    }),
    command: [...php.command, 'samples.php'],
  },
  // One program of top-level statements each; .NET comes with no package of the system.
  'C#': { lacks: 'there is no .NET for it', files: () => ({}), command: [] },
};

/** Runs all samples of a language. @returns what each has printed, by its operation. */
export async function runSamples(runner: Runner, samples: readonly NamedSample[], folder: string) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(runner.files(samples))) writeFileSync(join(folder, name), text);
  const output = await outputOf(runner.command, folder);
  return new Map(
    output
      .split(/^@@/m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return [part.slice(0, end), part.slice(end + 1).trim()] as const;
      }),
  );
}
