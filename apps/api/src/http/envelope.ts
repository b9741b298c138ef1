import { envelope, SUCCESS_MESSAGE } from '@pts/contract/common';
import { v4Envelope } from '@pts/contract/compat-v4';
import type { FieldError } from '@pts/core/errors';

/** How answers are wrapped. */
export type Envelope = {
  success(data: unknown): object;
  error(number: number, message: string, fields: readonly FieldError[], details?: object): object;
  /** The JSON Schema of an answer around that of its data. */
  schema(data: object): object;
};

/** Spec section 2.1. */
export const V1: Envelope = {
  success: (data) => ({ code: 200, meta: 200, message: SUCCESS_MESSAGE, data }),
  error: (number, message, fields, details = {}) => ({
    code: number,
    meta: number,
    message,
    data: fields.length > 0 ? { errors: fields, ...details } : details,
  }),
  schema: envelope,
};

/** Version 4 of the API family. */
export const V4: Envelope = {
  success: (data) => ({ meta: { code: 200, message: SUCCESS_MESSAGE }, data }),
  error: (code, message, fields) => ({ meta: { code, message }, data: fields.length > 0 ? { errors: fields } : [] }),
  schema: v4Envelope,
};
