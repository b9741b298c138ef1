import { read } from './repository.ts';

export type Instruction = { name: string; flags: string[]; rest: string };
export type Stage = { name: string | undefined; base: string; instructions: Instruction[] };
export type Dockerfile = { args: Record<string, string>; stages: Stage[] };

/** A Dockerfile without heredocs, parser directives and escapes. */
export function parseDockerfile(path: string): Dockerfile {
  const args: Record<string, string> = {};
  const stages: Stage[] = [];
  for (const instruction of instructions(read(path))) {
    const stage = stages.at(-1);
    if (instruction.name === 'FROM') {
      const [, base = '', name] = instruction.rest.match(/^(\S+)(?:\s+AS\s+(\S+))?$/) ?? [];
      stages.push({ name, base, instructions: [] });
    } else if (stage !== undefined) {
      stage.instructions.push(instruction);
    } else {
      const [name = '', value = ''] = instruction.rest.split('=');
      args[name] = value;
    }
  }
  return { args, stages };
}

function instructions(text: string): Instruction[] {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', ...words] = line.split(/\s+/);
      const isFlag = name !== 'HEALTHCHECK' && name !== 'CMD' && name !== 'ENTRYPOINT';
      const flags = isFlag
        ? words.filter((word, i) => word.startsWith('--') && words.slice(0, i).every((w) => w.startsWith('--')))
        : [];
      return { name: name.toUpperCase(), flags, rest: words.slice(flags.length).join(' ') };
    });
}

/** All instructions of an image: those of its bases within the file, then its own. */
export function lineage(file: Dockerfile, name: string): Instruction[] {
  const stage = file.stages.find((one) => one.name === name);
  if (stage === undefined) return [];
  return [...lineage(file, stage.base), ...stage.instructions];
}

/** The final value of an instruction that overrides earlier ones, like USER or CMD. */
export function last(instructions: Instruction[], name: string): string | undefined {
  return instructions.findLast((instruction) => instruction.name === name)?.rest;
}

/** The arguments of an exec form; undefined for the shell form. */
export function execForm(text: string | undefined): string[] | undefined {
  try {
    return JSON.parse(text?.match(/\[.*\]$/)?.[0] ?? '') as string[];
  } catch {
    return undefined;
  }
}
