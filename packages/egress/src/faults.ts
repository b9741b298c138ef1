/** A resolved address that the policy refuses. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/** The total time is over. */
export class TimeIsOver extends Error {
  override readonly name = 'TimeIsOver';
}

/** An answer that goes on beyond what is read of any answer. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

/** The egress proxy says that it could not reach the receiver. */
export class BehindProxy extends Error {
  override readonly name = 'BehindProxy';
}

/** The egress proxy is out of order or refuses us: a fault of ours, which `send` throws. */
export class ProxyFault extends Error {
  override readonly name = 'ProxyFault';
}
