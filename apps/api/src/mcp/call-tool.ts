import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ERRORS, type Fault, refusedField, ServiceError } from '@pts/core/errors';
import { operations } from '../endpoints/index.ts';
import { unknownFields } from '../http/body/unknown-fields.ts';
import { createValidator, isObject } from '../http/body/validate.ts';
import { admit, type CallOptions, callOf, givenOf } from '../http/call.ts';
import { helpAddress } from '../http/errors/help.ts';
import { toApiError } from '../http/errors/respond-error.ts';
import type { Caller, Route } from '../http/operation.ts';
import { toBoundedText } from './bounded.ts';
import type { Tool } from './tool.ts';

export type ToolOptions = CallOptions & {
  /** Called with a bug or an outage. The agent does not see the cause of either. */
  onFault(error: unknown): void;
};

/** Calls a tool with the arguments of an agent. Refusals are results, which an agent can read. */
export type CallTool = (caller: Caller, given: unknown) => Promise<CallToolResult>;

/** A tool, ready to be called: its operation runs as over REST, under the same scope, limit and validation. */
export function callable(tool: Tool, { onFault, ...options }: ToolOptions): CallTool {
  const operation = operationOf(tool);
  const readArguments = createValidator(tool.inputSchema);
  const call = callOf(operation, options);
  return async (caller, given) => {
    try {
      await admit(operation, options, caller);
      if (!isObject(given)) throw refusedField('arguments', 'must be an object, such as {}');
      const all = tool.toInput(readArguments(given, (each) => unknownArguments(tool, each)) as never);
      const input = givenOf(operation, all as Caller['query']);
      call.validate(caller, input);
      const answer = await call.run(caller, input);
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

/** Characters of an error. */
const MAX_ERROR = 4000;

/** A misspelled filter would list everything. */
function unknownArguments({ inputSchema: { properties } }: Tool, given: Record<string, unknown>): Fault[] {
  const known = Object.keys(properties);
  const instead = known.length > 0 ? `use ${known.join(', ')}` : 'this tool takes no arguments';
  return unknownFields(given, properties, { otherwise: () => `is unknown: ${instead}` });
}

function textOf({ error, message, retryAfterSeconds }: ServiceError, baseUrl: string): string {
  const { number } = ERRORS[error];
  const wait = error === 'too_many_requests' ? 120 : retryAfterSeconds;
  const parts = [
    `Error ${number}: ${message.slice(0, MAX_ERROR)}`,
    // The message of some errors says it already.
    ...(wait === undefined || message.includes(`${wait} seconds`) ? [] : [`Try again after ${wait} seconds.`]),
    `See ${helpAddress(baseUrl, number)}`,
  ];
  return parts.join(' ');
}
