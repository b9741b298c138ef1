/** A resolved address that the policy refuses. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/** The total timeout has expired. */
export class TimeIsOver extends Error {
  override readonly name = 'TimeIsOver';
}

/** A response that exceeds the limit. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

/** The egress proxy could not reach the receiver. */
export class BehindProxy extends Error {
  override readonly name = 'BehindProxy';
}

/** The egress proxy is broken or refuses us: an internal error, which `send` throws. */
export class ProxyFault extends Error {
  override readonly name = 'ProxyFault';
}
