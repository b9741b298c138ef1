type Words = Readonly<Partial<Record<string, string>>>;

/** What the service says in English, in the words of another language: by what it is about, and by its kind. */
export type SaidWords = {
  /** Whether and how a parcel is checked. */
  watches: Words;
  /** What delays a check. */
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
  /** What is wrong with rows of a file. */
  imports: Words;
  /** How often, and whether there is a webhook. */
  cadence(every: string, isMonitored: boolean): string;
};
