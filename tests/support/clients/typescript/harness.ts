/** What each generated client does, in its own way. */
export type Adapter = {
  /** @returns the id. @throws an Error with the number and the page of the refusal */
  register(number: string): Promise<string>;
  /** The units of quota that registering the number would use. */
  dryRun(number: string): Promise<number | undefined>;
  read(id: string): Promise<{ tracking_number: string; events: { time: string }[] }>;
  list(q: string, cursor?: string): Promise<{ shipments: { tracking_number: string }[]; next_cursor: string | null }>;
};

const { BASE_URL = '', API_KEY = '', NUMBERS = '', NEW_NUMBER = '' } = process.env;
const { PARCEL_ID = '', PREFIX = '', PUSH = '' } = process.env;

export const api = `${BASE_URL}/api/v1`;
export const headers = { 'X-API-Key': API_KEY };
export const push = JSON.parse(PUSH);

/** @param received what a push says, by its generated type */
export async function play(client: Adapter, received: string): Promise<void> {
  for (const number of NUMBERS.split(',')) await client.register(number);
  const { tracking_number, events } = await client.read(PARCEL_ID);
  console.log(tracking_number, events[0]?.time);
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const { shipments, next_cursor } = await client.list(PREFIX, cursor);
    listed.push(...shipments.map((shipment) => shipment.tracking_number));
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  console.log(listed.sort().join(','));
  console.log(await client.dryRun(NEW_NUMBER));
  await client.register('!').catch(({ message }) => console.log(message));
  console.log(received);
}
