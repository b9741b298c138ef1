import { findCarrier } from '../registry/registry.ts';
import { SEEN, UNSEEN, UNSEEN_LAST, UNSEEN_LATER } from '../testing/world-numbers.ts';
import { askOrder, chooseCarrier } from './choose-carrier.ts';
import { detect } from './detect.ts';

const off = { sandbox: false };
const MAX = 4;
const normal = (number: string) => number.replace(/-/g, '');
const home = (carrier: string) => [findCarrier(carrier, off)?.country ?? ''];

function asked(number: string, countries: string[]): string[] {
  const { carrier, undecided } = chooseCarrier(normal(number), { ...off, countries });
  const askable = undecided.map((each) => ({ ...each, cost: 'free' as const, lacksInput: false }));
  const codes = askOrder(askable, MAX).map((each) => each.carrier);
  return codes.length > 0 || carrier === null ? codes : [carrier];
}

test.each(SEEN)('%s to the home country of its carrier is first taken for one of %s', (number, carrier) => {
  expect(chooseCarrier(normal(number), { ...off, countries: home(carrier) }).carrier).toBe(carrier);
  expect(asked(number, home(carrier))[0]).toBe(carrier);
});

/** The scores that the forms must keep. */
test.each([
  ['seen', SEEN, { rows: 84, first: 65, asked: 73, firstAtHome: 84, askedAtHome: 84 }],
  ['unseen', UNSEEN, { rows: 40, first: 32, asked: 36, firstAtHome: 36, askedAtHome: 39 }],
  ['later unseen', UNSEEN_LATER, { rows: 61, first: 49, asked: 56, firstAtHome: 57, askedAtHome: 59 }],
  ['last unseen', UNSEEN_LAST, { rows: 53, first: 41, asked: 45, firstAtHome: 48, askedAtHome: 51 }],
])('of the %s numbers, as many as documented are found', (_name, numbers, documented) => {
  const count = (isIt: (number: string, carrier: string) => boolean) =>
    numbers.filter(([number, carrier]) => isIt(number, carrier)).length;
  expect(numbers).toHaveLength(documented.rows);
  expect(count((number, carrier) => asked(number, [])[0] === carrier)).toBeGreaterThanOrEqual(documented.first);
  expect(count((number, carrier) => asked(number, []).includes(carrier))).toBeGreaterThanOrEqual(documented.asked);
  const atHome = (number: string, carrier: string) => asked(number, home(carrier));
  expect(count((n, carrier) => atHome(n, carrier)[0] === carrier)).toBeGreaterThanOrEqual(documented.firstAtHome);
  expect(count((n, carrier) => atHome(n, carrier).includes(carrier))).toBeGreaterThanOrEqual(documented.askedAtHome);
});

// biome-ignore format: one form per line is readable as a table
test.each([
  ['delhivery', ['1491840173652', '14928401736528', '1584017365284']],
  ['kerry-express', ['KERDO284017365', 'KERPU401736528', 'KERTH736528401']],
  ['flash-express', ['TH47284P01', 'TH01284W736C5D', 'TH2840173K65']],
  ['australia-post', ['KXB2840173', '5KQ7301942', 'LZE4017365']],
  ['korea-post', ['6028401736528', '6840173652840', '6912840173652']],
  ['ukrposhta', ['0528401736528', '0500284017365', '0590173652840']],
  ['ontrac', ['BN28401736', 'LS40173652', 'BN73652840']],
  ['czech-post', ['BA2840173652M', 'DR4017365284M', 'BA7365284017M']],
  ['ups', ['814017365284017365', '828401736528401736', '849017365284017365']],
  ['new-zealand-post', ['00794210392840173659', '00894210391736528402', '00994211284017365284']],
  ['postnord', ['00373284017365284018', '00357028401736528409', '00073840173652840172']],
  ['nova-poshta', ['20451284017365', '59001284017365', '20462840173652']],
  ['cdek', ['1184017366', '1284017365', '10284017366']],
  ['speedy', ['61284017365', '62840173652', '63736528401']],
  ['jtexpress-mx', ['JMX284017365284', 'JMX100736528401', 'JMX990017365284']],
  ['dtdc', ['7X284017365', 'D28401736', 'V40173652']],
])('%s: %p', (carrier, numbers) => {
  for (const number of numbers) expect([number, detect(number, off)[0]?.carrier]).toEqual([number, carrier]);
});

test.each(['LA92840173', 'LX42840173', 'LN52840173', 'LI02840173'])('%s is no number of LaserShip', (number) => {
  expect(detect(number, off).map(({ carrier }) => carrier)).not.toContain('lasership');
});

test.each([
  ['1LS721840273651', 'lasership'],
  ['LX28401736', 'lasership'],
  ['1LSCXQ284A17365', 'lasership'],
])('%s is of %s, which OnTrac took over', (number, carrier) => {
  expect(detect(number, off).map((candidate) => candidate.carrier)).toEqual([carrier, 'ontrac']);
});

test.each(['00794210392715622564', '00373284017365284010', '00340434028401736596'])(
  '%s, a shipping container code with a wrong check digit, has no carrier',
  (number) => {
    expect(chooseCarrier(number, off).carrier).toBeNull();
  },
);
