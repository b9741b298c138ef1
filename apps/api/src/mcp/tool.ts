import type { Infer } from '@pts/contract/infer';
import type { OperationContract } from '@pts/contract/operation';

/** What a tool may do to the account, for clients that ask before some calls. */
type Hints = { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };

export const READS: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
export const WRITES: Hints = { ...READS, readOnlyHint: false };

/** The arguments of a tool. */
type Arguments = {
  readonly type: 'object';
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
};

/** A tool for agents: an operation of the API under its own name, with the arguments and the answer of a conversation. */
export type Tool = {
  name: string;
  title: string;
  /** When to use it, and what it costs. */
  description: string;
  hints: Hints;
  inputSchema: Arguments;
  contract: OperationContract;
  /** The input of the operation. */
  toInput(given: never): unknown;
  /** What an agent needs of the answer. */
  present(answer: never): unknown;
};

/** Declares a tool; its types derive from its arguments and from the contract of its operation. */
export function tool<const S extends Arguments, const C extends OperationContract>(
  spec: Omit<Tool, 'inputSchema' | 'contract' | 'toInput' | 'present'> & {
    inputSchema: S;
    contract: C;
    toInput(given: Infer<S>): Infer<C['request']>;
    present?(answer: Infer<C['response']>): unknown;
  },
): Tool {
  return { present: (answer: unknown) => answer, ...spec };
}
