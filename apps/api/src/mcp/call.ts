import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ERRORS, type ServiceError } from '@pts/core/errors';
import type { Fault } from '@pts/core/faults';
import { operations } from '../endpoints/index.ts';
import { requireScope } from '../http/authenticate.ts';
import { createResponseCheck, createValidator } from '../http/body/validate.ts';
import { toApiError } from '../http/errors/respond-error.ts';
import { requireAllowed } from '../http/limits/limits.ts';
import type { MountOptions } from '../http/mount.ts';
import type { Caller, Route } from '../http/operation.ts';
import { toBoundedText } from './bounded.ts';
import type { Tool } from './tool.ts';

export type CallOptions = Pick<MountOptions, 'deps' | 'limiter' | 'checkResponses'> & {
  /** Called for a fault of ours, which the agent is not told. */
  onFault(error: unknown): void;
};

/** Calls a tool with the arguments of an agent. Refusals are results, which an agent can read. */
export type CallTool = (caller: Caller, given: unknown) => Promise<CallToolResult>;

/** A tool, ready to be called: its operation runs under the same scope, limit and validation as over REST. */
export function callable(tool: Tool, { deps, limiter, checkResponses, onFault }: CallOptions): CallTool {
  const operation = operationOf(tool);
  const readArguments = createValidator(tool.inputSchema);
  const validate = createValidator(operation.request);
  const check = checkResponses ? createResponseCheck(operation.response) : () => {};
  return async (caller, given) => {
    try {
      requireScope(caller, operation.scope);
      await requireAllowed(limiter, operation.limit, caller.account.id);
      const input = tool.toInput(readArguments(given, (all) => unknownArguments(tool, all)) as never);
      validate(input, (all) => operation.faults?.(deps, all) ?? []);
      const answer = await operation.run(deps, caller, input as never);
      check(answer);
      return { content: [{ type: 'text', text: toBoundedText(tool.present(answer as never)) }] };
    } catch (error) {
      const known = toApiError(error);
      if (known.error === 'internal') onFault(error);
      return { isError: true, content: [{ type: 'text', text: textOf(known) }] };
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

function textOf({ error, message, retryAfterSeconds }: ServiceError): string {
  const wait = error === 'too_many_requests' ? 120 : retryAfterSeconds;
  return `Error ${ERRORS[error].number}: ${message.slice(0, MAX_ERROR)}${wait === undefined ? '' : ` Try again after ${wait} seconds.`}`;
}
