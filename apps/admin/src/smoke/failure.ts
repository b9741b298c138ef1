/** A failed step: what happened and, if known, what to do. */
export class StepFailure extends Error {
  override readonly name: string = 'StepFailure';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The service answered with an error (spec section 7). */
export class RefusedRequest extends StepFailure {
  override readonly name = 'RefusedRequest';
  readonly code: number;

  constructor(code: number, message: string) {
    super(`refused with ${code}: ${message}`);
    this.code = code;
  }
}
