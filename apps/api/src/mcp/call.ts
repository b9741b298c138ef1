import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ERRORS, ServiceError } from '@pts/core/errors';
import type { Fault } from '@pts/core/faults';
import { modesOf } from '@pts/service/accounts/mode';
import { operations } from '../endpoints/index.ts';
import { requireScope } from '../http/authenticate.ts';
import { createResponseCheck, createValidator } from '../http/body/validate.ts';
import { helpAddress } from '../http/errors/help.ts';
import { toApiError } from '../http/errors/respond-error.ts';
import { requireAllowed } from '../http/limits/limits.ts';
import type { MountOptions } from '../http/mount.ts';
import type { Caller, Route } from '../http/operation.ts';
import { toBoundedText } from './bounded.ts';
import type { Tool } from './tool.ts';

export type CallOptions = Pick<MountOptions, 'deps' | 'limiter' | 'checkResponses'> & {
  /** Called for a fault of ours, and for an outage. The agent is told neither's cause. */
  onFault(error: unknown): void;
};

/** Calls a tool with the arguments of an agent. Refusals are results, which an agent can read. */
export type CallTool = (caller: Caller, given: unknown) => Promise<CallToolResult>;

/** A tool, ready to be called: its operation runs under the same scope, limit, mode and validation as over REST. */
export function callable(tool: Tool, { deps, limiter, checkResponses, onFault }: CallOptions): CallTool {
  const operation = operationOf(tool);
  const readArguments = createValidator(tool.inputSchema);
  const validate = createValidator(operation.request);
  const depsFor = modesOf(deps);
  const check = checkResponses ? createResponseCheck(operation.response) : () => {};
  return async (caller, given) => {
    try {
      const own = depsFor(caller.account);
      requireScope(caller, operation.scope);
      await requireAllowed(limiter, operation.limit, caller.account.id);
      const input = tool.toInput(readArguments(given, (all) => unknownArguments(tool, all)) as never);
      validate(input, (all) => operation.faults?.(own, all) ?? []);
      const answer = await operation.run(own, caller, input as never);
      check(answer);
      return { content: [{ type: 'text', text: toBoundedText(tool.present(answer as never)) }] };
    } catch (error) {
      if (!(error instanceof ServiceError)) onFault(error);
      return { isError: true, content: [{ type: 'text', text: textOf(toApiError(error), caller.baseUrl) }] };
    }
  };
}

function operationOf({ name, contract }: Tool): Route {
  const found = operations.find(({ doc }) => doc.id === contract.doc.id);
  if (found === undefined || !('run' in found)) throw new Error(`the tool ${name} has no operation that answers once`);
  return found;
}

/** Unknown arguments that an error names. */
const MAX_NAMED = 5;
/** Characters of an error. */
const MAX_ERROR = 4000;

/** A misspelled filter would list everything. */
function unknownArguments({ inputSchema: { properties } }: Tool, given: Record<string, unknown>): Fault[] {
  const known = Object.keys(properties);
  return Object.keys(given)
    .filter((field) => !known.includes(field))
    .slice(0, MAX_NAMED)
    .map((field) => ({
      field: field.slice(0, 100),
      message: known.length > 0 ? `is unknown: use ${known.join(', ')}` : 'is unknown: this tool takes no arguments',
      error: 'invalid_field',
    }));
}

function textOf({ error, message, retryAfterSeconds }: ServiceError, baseUrl: string): string {
  const { number } = ERRORS[error];
  const wait = error === 'too_many_requests' ? 120 : retryAfterSeconds;
  const parts = [
    `Error ${number}: ${message.slice(0, MAX_ERROR)}`,
    ...(wait === undefined ? [] : [`Try again after ${wait} seconds.`]),
    `See ${helpAddress(baseUrl, number)}`,
  ];
  return parts.join(' ');
}
