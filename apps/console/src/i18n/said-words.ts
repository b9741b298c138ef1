type Words = Readonly<Partial<Record<string, string>>>;

/** The service's English messages in the words of another language: by what they are about, and by their kind. */
export type SaidWords = {
  /** Whether and how a parcel is checked. */
  watches: Words;
  /** The reasons that delay a check. */
  holds: Words;
  /** Why checks fail. */
  failures: Words;
  /** Why an answer has no scans. */
  answers: Words;
  /** Why an answer is not trusted. */
  quarantines: Words;
  /** The state of a subscription. */
  pushes: Words;
  /** How the carrier was chosen. */
  choices: Words;
  /** The faults in rows of a file. */
  imports: Words;
  /** How often, and whether there is a webhook. */
  cadence(every: string, isMonitored: boolean): string;
};
