import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Module, type Options, parseSync } from '@swc/core';
import type { Source } from './sources.ts';

/** A pattern as written in a source file. */
export type Pattern = { path: string; source: string; flags: string };

/** Every pattern in a file: literals, and the texts of `pattern` in JSON schemas. */
export function patternsIn({ path, text }: Source): Pattern[] {
  return nodesOf(parse(path, text)).flatMap((node) => {
    if (node.type === 'RegExpLiteral') return [{ path, source: String(node.pattern), flags: String(node.flags) }];
    // ajv compiles the patterns of schemas with the flag u.
    const schema = node.type === 'KeyValueProperty' && nameOf(node.key) === 'pattern' ? textOf(node.value) : null;
    return schema === null ? [] : [{ path, source: schema, flags: 'u' }];
  });
}

/** Whether a file builds patterns at run time, which cannot be checked by reading it. */
export function makesPatterns({ path, text }: Source): boolean {
  return nodesOf(parse(path, text)).some(
    ({ type, callee }) => (type === 'NewExpression' || type === 'CallExpression') && nameOf(callee) === 'RegExp',
  );
}

/** The results of `judge`, by `keyOf` a pattern. */
export type Verdicts = ReadonlyMap<string, { status: string; why?: string }>;

const keyOf = ({ source, flags }: Pattern) => `${source}/${flags}`;

/** Checks whether patterns take linear time. It starts a process, which takes seconds: pass all of them at once. */
export function judge(patterns: readonly Pattern[]): Verdicts {
  const verdicts = new Map(judgeEach(patterns.flatMap((pattern) => [pattern, ...alternativesOf(pattern)])));
  for (const pattern of patterns) {
    const faulty = alternativesOf(pattern).find((each) => verdicts.get(keyOf(each))?.status !== 'safe');
    const verdict = faulty && verdicts.get(keyOf(faulty));
    if (verdict) verdicts.set(keyOf(pattern), { ...verdict, why: `${verdict.why}, by ${faulty.source}` });
  }
  return verdicts;
}

/**
 * The alternatives of a pattern that is matched again and again. Together they may look linear, as one of them always
 * matches before long; yet at each of these matches, another may first have read all the rest of the text in vain.
 */
function alternativesOf({ path, source, flags }: Pattern): Pattern[] {
  if (!flags.includes('g')) return [];
  const alternatives = [''];
  let depth = 0;
  for (const [token] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|./gsu)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === '|' && depth === 0) alternatives.push('');
    else alternatives.push((alternatives.pop() ?? '') + token);
  }
  return alternatives.length === 1 ? [] : alternatives.map((each) => ({ path, source: each || '(?:)', flags }));
}

function judgeEach(patterns: readonly Pattern[]): Verdicts {
  const distinct = [...new Map(patterns.map((pattern) => [keyOf(pattern), pattern])).values()];
  const output = execFileSync(process.execPath, [join(import.meta.dirname, 'check-patterns.mjs')], {
    input: JSON.stringify(distinct),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const results: { status: string; why?: string }[] = JSON.parse(output);
  return new Map(distinct.flatMap((pattern, n) => (results[n] ? [[keyOf(pattern), results[n]] as const] : [])));
}

/** The patterns that are not proven to take linear time, each with its file and why. */
export function notLinear(patterns: readonly Pattern[], verdicts: Verdicts): string[] {
  const faults = patterns.flatMap((pattern) => {
    const { status, why } = verdicts.get(keyOf(pattern)) ?? { status: 'not checked' };
    if (status === 'safe') return [];
    const { path, source, flags } = pattern;
    return [`${path}: /${source}/${flags} (${status}: ${why}). Bound what repeats (.{0,500}), anchor it, or split it.`];
  });
  return [...new Set(faults)];
}

type Node = { type?: unknown } & Readonly<Record<string, unknown>>;

function parse(path: string, text: string): Module {
  const syntax: Options['jsc'] = {
    parser: /\.tsx?$/.test(path) ? { syntax: 'typescript', tsx: path.endsWith('.tsx') } : { syntax: 'ecmascript' },
  };
  return parseSync(text, { ...(syntax.parser ?? { syntax: 'ecmascript' }), target: 'es2023' });
}

function nodesOf(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const children = Object.values(value).flatMap(nodesOf);
  return 'type' in value ? [value as Node, ...children] : children;
}

function nameOf(value: unknown): unknown {
  return (value as Node | undefined)?.value;
}

/** The text of a literal, in quotes or in backticks without anything to fill in. */
function textOf(value: unknown): string | null {
  const { type, ...literal } = value as Node;
  if (type === 'StringLiteral') return String(literal.value);
  const template = (type === 'TaggedTemplateExpression' ? literal.template : value) as Node;
  const [quasi, ...more] = (template.quasis as Node[] | undefined) ?? [];
  if (!quasi || more.length > 0) return null;
  return String(type === 'TaggedTemplateExpression' ? quasi.raw : quasi.cooked);
}
