import fc from 'fast-check';
import { findCarrier } from '../registry/registry.ts';
import { POST_OF_COUNTRY } from '../registry/registry-posts.ts';
import { askOrder, chooseCarrier } from './choose-carrier.ts';
import { detect, detectWithReasons } from './detect.ts';
import { type MatchReason, mod7, s10 } from './format.ts';

const off = { sandbox: false };

// biome-ignore format: one number per line is readable as a table
const NUMBERS: readonly (readonly [number: string, carrier: string, min: number])[] = [
  // China, domestic
  ['SF7284016359285', 'sf-express', 90],
  ['SFA840173629518', 'sf-express', 80],
  ['SF28401736295184', 'sf-express', 70],
  ['YT6140382715904', 'yto', 90],
  ['887204619385027164', 'yto', 40],
  ['DD7402618395', 'yto', 35],
  ['75283940617254', 'zto', 75],
  ['78120463957182', 'zto', 75],
  ['79108264537190', 'zto', 70],
  ['STO4820173659', 'sto', 85],
  ['772640183957206', 'sto', 80],
  ['463058172946035', 'yunda', 72],
  ['318406275190347', 'yunda', 72],
  ['3920184756103', 'yunda', 62],
  ['432840173659284', 'yunda', 68],
  ['338401736592846', 'yunda', 66],
  ['JDV027394618502', 'jd', 88],
  ['JDVB28401736592', 'jd', 88],
  ['JD0392817460518', 'jd', 72],
  ['JT5102846739201', 'jtexpress', 90],
  ['JT510284673920', 'jtexpress', 60],
  ['1182047365192', 'china-ems', 64],
  ['9802746153820', 'china-post', 58],
  ['9702746153820', 'china-ems', 58],
  ['5102746153820', 'china-ems', 58],
  ['4382746153820', 'china-post', 34],
  ['1000284017365', 'yunda', 66],
  ['1201284017365', 'yunda', 66],
  ['2740183659201', 'yunda', 28],
  ['4312840173659', 'yunda', 38],
  ['60284017365', 'jd', 16],
  ['200084017365', 'yto', 27],
  ['804284017366', 'yto', 24],
  ['TT6628401736592', 'tiantian', 80],
  ['6628401736592', 'sto', 38],
  ['228401736590', 'sto', 24],
  ['418401736590', 'zto', 22],
  ['PA28401736518', 'china-post', 60],
  ['8720461935827', 'china-post', 45],
  ['60472839105826', 'best-express', 50],
  ['70284017365928', 'best-express', 50],
  ['50284017365928', 'best-express', 50],
  ['KY2840173659284', 'kuayue', 88],
  ['DPK402817365928', 'deppon', 92],
  ['DPL402817365928', 'deppon', 80],
  ['300618402759', 'ane', 25],
  ['202840173652', 'zto-freight', 25],
  // China, cross-border
  ['LP00384017265394', 'cainiao', 88],
  ['621840273615948', 'cainiao', 65],
  ['YT2630184027561938', 'yunexpress', 92],
  ['CAYT2630184027561938', 'yunexpress', 85],
  ['UV619408274YP', 'yanwen', 92],
  ['6A28401736592', 'yanwen', 55],
  ['4PX3018402756193CN', '4px', 95],
  ['304218402756', '4px', 50],
  ['S000284017365', '4px', 75],
  ['S0002840173', '4px', 60],
  ['BYS284017365', 'yanwen', 75],
  ['ID28401736592840CN', 'winit', 90],
  ['WO2840173659284', 'winit', 72],
  ['JNTCA2840173659YQ', 'jnet', 92],
  ['3A5V284017365', 'cnexps', 90],
  ['SYGB018402756', 'sunyou', 90],
  ['SFC284017365', 'sfc', 85],
  ['WNBCB0284017365YQ', 'wanb', 95],
  ['JCEFR2840173659YQ', 'jcex', 92],
  // S10 items
  ['EA407182533CN', 'china-ems', 100],
  ['RC518203648CN', 'china-post', 100],
  ['LX204819374CN', 'china-post', 100],
  ['EC739104629US', 'usps', 100],
  ['KH602817354GB', 'royal-mail', 100],
  ['CX184039275CA', 'canada-post', 100],
  ['LB905172642AU', 'australia-post', 100],
  ['EN271604835JP', 'japan-post', 100],
  ['UD384601711SE', 'postnord', 100],
  ['CT803519423DK', 'postnord', 100],
  ['RR419753207NO', 'posten-norge', 100],
  ['JB562038177FI', 'posti', 100],
  // Posts at home
  ['9400111899501738462019', 'usps', 95],
  ['9205590163847502716387', 'usps', 95],
  ['9361283517048261937041', 'usps', 95],
  ['9505516384702951738466', 'usps', 95],
  ['9102601738465027193848', 'usps', 95],
  ['92612930173846502718394622', 'usps', 95],
  ['940019037281645027381649502732', 'usps', 95],
  ['420606149400111899506271839403', 'usps', 95],
  ['4203030944719200190273645182736458', 'usps', 95],
  ['4207330192612903718465027183946506', 'usps', 95],
  ['03102738465019283747', 'usps', 66],
  ['71920483716502837463', 'usps', 66],
  ['4209810903105627384019283754', 'usps', 66],
  ['2018460392751042', 'canada-post', 65],
  ['33KQT018273645019283746', 'australia-post', 70],
  ['99718273645019283746501', 'australia-post', 60],
  ['5KQ730194201000640305', 'australia-post', 60],
  ['KXB731048201000640305', 'australia-post', 60],
  ['36KQT018273645019283746', 'australia-post', 55],
  ['5KQ7301942', 'australia-post', 9],
  ['00373716048295103845', 'postnord', 90],
  ['373840173659284017', 'postnord', 80],
  ['370722284017365928', 'posten-norge', 90],
  ['00370722284017365928', 'posten-norge', 90],
  ['00059007732840173651', 'poczta-polska', 92],
  ['3SKLMN284017365', 'postnl', 92],
  ['3S9K4M0284017365', 'postnl', 85],
  ['323284017365928401736592', 'bpost', 80],
  ['JJFI28401736592840173', 'posti', 95],
  ['PQ4K7M2840173659284017S', 'correos-spain', 88],
  ['1UW28K4017365', 'poste-italiane', 75],
  ['2C28401736592', 'la-poste', 38],
  // Express and freight
  ['00340434028401736595', 'dhl-paket', 94],
  ['JJD000328401736592840', 'dhl-paket', 92],
  ['H028KA2840173659', 'evri', 90],
  ['628401736592840173659284', 'inpost', 78],
  ['8V28401736592', 'colissimo', 50],
  ['GD284017365WW', 'tnt', 75],
  ['UUS28K4017365928', 'uniuni', 82],
  ['NVSGKLM284017365', 'ninja-van', 85],
  ['JT28401736592840', 'jtexpress-sg', 72],
  ['1Z7K3R950361840278', 'ups', 95],
  ['1ZA40W784203716591', 'ups', 95],
  ['H3184059279', 'ups', 75],
  ['783519204649', 'fedex', 50],
  ['618402759301743', 'fedex', 58],
  ['000817345209163845', 'fedex', 60],
  ['61273059184602739516', 'fedex', 75],
  ['41284017365928401738', 'fedex', 60],
  ['74284017365928401736', 'fedex', 60],
  ['9611038402715938460270', 'fedex', 93],
  ['32074163859201747193528041692071', 'fedex', 80],
  ['1003847165002138475000617384950274', 'fedex', 80],
  ['9622003840007163845100738192046513', 'fedex', 93],
  ['4617302852', 'dhl', 60],
  ['51740382960', 'dhl', 50],
  ['JJD0284017365', 'dhl', 75],
  ['JVGL284017365', 'dhl', 60],
  ['JVGL28401736592840', 'dhl', 85],
  ['JVGL28401736592840173659', 'dhl', 85],
  ['GM4820173659102847', 'dhl', 80],
  ['60128401736592', 'dhl', 60],
  ['009427301850172836450101276C', 'dpd', 92],
  ['09453017283645D', 'dpd', 88],
  ['77730164827', 'old-dominion', 70],
  ['07248103959', 'old-dominion', 70],
  ['80273018467', 'old-dominion', 65],
  ['330718462055', 'purolator', 40],
  ['MQK284017365', 'purolator', 50],
  ['JQK284017365', 'purolator', 50],
  ['D402817365928401736592', 'canpar', 80],
  ['TBA284017365928', 'amazon', 95],
  ['TBC284017365928', 'amazon', 95],
  ['F2840173659', 'amazon', 45],
  ['C11827364501927', 'ontrac', 88],
  ['D10384726150388', 'ontrac', 88],
  ['LN28401736', 'lasership', 75],
  ['1LS721840273651', 'lasership', 90],
  ['1LS7218012840173' + '1', 'lasership', 90],
  ['1LSCXQ284A17365', 'lasership', 90],
  ['GFUS28401736592840', 'gofo', 95],
  ['SP284017365928401736', 'speedee', 85],
  ['LTN28401736N1', 'landmark', 95],
  ['LM28401736', 'lasership', 75],
  ['LM3284017365', 'lasership', 60],
  ['1LS284017365928', 'lasership', 80],
  ['1LSCYQ284A17365', 'lasership', 80],
  ['SPXDFW284017365928', 'speedx', 92],
  ['SPXPHX284017365928', 'speedx', 92],
  ['SPXID284017365928', 'shopee-xpress', 88],
  ['SPXVN02840173659A', 'shopee-xpress', 88],
  ['UPAAC284017365928401', 'pitney-bowes', 90],
  ['LEXMY2840173659', 'lazada', 75],
  ['NVMYKLM28A17365', 'ninja-van', 85],
  ['NINJA284017365', 'ninja-van', 75],
  ['NIN2840173659', 'ninja-van', 75],
  ['NLMYAP2840173659', 'ninja-van', 75],
  ['4C284017365US', 'uniuni', 85],
  ['FMPC2840173659', 'ekart', 85],
  ['30284017365', 'aramex', 20],
  ['JD2840173659284017', 'yodel', 88],
  ['8YDR284017365', 'yodel', 85],
  ['JD01284017365928401' + '7', 'dhl', 80],
  // Europe
  ['2840173659284U', 'dpd', 82],
  ['H2840173659284017365', 'hermes-de', 88],
  ['HX2840173659', 'colis-prive', 30],
  ['HX284017365928401', 'colis-prive', 30],
  ['2840173659284017365', 'brt', 40],
  ['28401M736592', 'mrw', 65],
  ['0082884017365928401736', 'ctt-express', 75],
  ['Z2840173659', 'packeta', 75],
  ['28401736592SE', 'postnord', 80],
  ['PX2840173659', 'poczta-polska', 80],
  ['323284017365928401', 'bpost', 65],
  ['3UW28K4017365', 'poste-italiane', 75],
  ['2UW28K4017365', 'poste-italiane', 75],
  ['1028401736592840173659', 'austrian-post', 60],
  ['992840173659284017', 'swiss-post', 47],
  ['982840173659284017', 'swiss-post', 40],
  ['7R28401736592', 'colissimo', 40],
  ['XN284017365JB', 'chronopost', 92],
  ['MI2840173659A2840173', 'ups', 65],
  ['CNG2840173659284', 'cainiao', 70],
  ['CNUSUP2840173659', 'cainiao', 60],
  ['MYPM28401736592', 'pos-malaysia', 85],
  ['JJD2840173659284017', 'yodel', 88],
];

test.each(NUMBERS)('%s is %s, with a confidence of at least %d', (number, carrier, min) => {
  const [best, next] = detect(number, off);
  expect(best?.carrier).toBe(carrier);
  expect(best?.confidence).toBeGreaterThanOrEqual(min);
  expect(best?.confidence).toBeGreaterThan(next?.confidence ?? 0);
});

const CHECKED = NUMBERS.filter(([number]) =>
  /^[A-Z]{2}\d{9}(?!WW)[A-Z]{2}$|^1Z|^0034043|^370722|^(?:420\d{5})?9[1-6]\d{20}$|^[CD]1\d{13}$/.test(number),
);

test.each(CHECKED)('%s with another check digit is no number of %s, and the reason is known', (number, carrier) => {
  const at = /\d(?=\D*$)/.exec(number)?.index ?? 0;
  for (let by = 1; by < 10; by++) {
    const typo = `${number.slice(0, at)}${(Number(number[at]) + by) % 10}${number.slice(at + 1)}`;
    const isIt = (candidate: { carrier: string }) => candidate.carrier === carrier;
    expect(detect(typo, off).filter(isIt)).toEqual([]);
    expect(detectWithReasons(typo, off).find(isIt)?.reason).toBe('wrong_check_digit');
  }
});

// biome-ignore format: one number per line is readable as a table
test.each([
  ['SF40718', 'too short for SF'],
  ['YT6140382715', 'between the forms of YTO and YunExpress'],
  ['JT510284673', 'too short for J&T'],
  ['QWERTYU', 'letters only'],
  ['TBX284017365928', 'no service of Amazon'],
  ['SPX284017365928', 'neither SpeedX nor Shopee without the letters of a place'],
  ['1LS28401736592840', 'the second of several packages, or not LaserShip'],
  ['TBA28401736592A', 'a letter where Amazon has a digit'],
  ['GFUS2840173659284', 'a digit short of GOFO'],
  ['LSN28401736N2', 'not quite Landmark'],
  ['1LSCZQ284A17365', 'not quite LaserShip'],
  ['AAAAAAAAAAAAAAAAAAAA', 'letters only'],
  ['RC518203648ZZ', 'an item of a country that does not exist'],
  ['283519204647', 'twelve digits, whichever check digits are valid'],
  ['1000284017365', 'thirteen digits that EMS and Yunda had'],
  ['1201284017365', 'thirteen digits that EMS and Yunda had'],
  ['284017365928401', 'fifteen digits without a prefix'],
])('%s has no certain carrier: %s', (number) => {
  expect(detect(number, off).filter(({ confidence }) => confidence >= 70)).toEqual([]);
});

test.each([...POST_OF_COUNTRY])('an S10 item that ends in %s is of %s, whatever its letters', (country, carrier) => {
  for (const letters of ['RR', 'CX', 'UV', 'LA', 'GM', 'TH']) {
    const items = [...'0123456789'].map((digit) => `${letters}28401736${digit}${country}`);
    const [right, ...more] = items.filter((item) => s10(item.slice(2, 11)));
    expect(more).toEqual([]);
    for (const item of items) {
      expect(detect(item, off)[0]).toEqual(item === right ? { carrier, confidence: 100 } : undefined);
    }
  }
});

test('an S10 item of France that begins with X may be of Chronopost', () => {
  const names = detect('XN284017365FR', off).map(({ carrier }) => carrier);
  expect(names).toEqual(['la-poste', 'chronopost']);
});

test('an S10 item of a country that does not exist has no candidate at all', () => {
  expect(detect('RC518203648ZZ', off)).toEqual([]);
  expect(detect('LX518203648XX', off)).toEqual([]);
});

test('no carrier is certain for a number of up to 13 bare digits', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^(?:\d{8,10}|\d{12,13})$/), (digits) => {
      expect(detect(digits, off).filter(({ confidence }) => confidence >= 70)).toEqual([]);
    }),
  );
});

test('carriers that share a form have similar confidences and are among the first three', () => {
  const names = (number: string) => detect(number, off).map(({ carrier }) => carrier);
  expect(names('108401736502').slice(0, 3)).toEqual(['sf-express', 'zto', 'sto']);
  expect(names('1000284017365').slice(0, 2)).toEqual(['yunda', 'china-ems']);
  expect(names('9802746153820').slice(0, 2)).toEqual(['china-post', 'china-ems']);
  expect(names('70284017365928').slice(0, 2)).toEqual(['best-express', 'jtexpress']);
});

test.each(['15502840173659O', '15502370264989N', '15976028340172', '15501840273650'])(
  '%s: a depot of DPD UK is more specific than the form of all parcels of DPD',
  (number) => {
    const names = detect(number, off).map(({ carrier }) => carrier);
    expect(names.indexOf('dpd-uk')).toBe(0);
    expect(names).toContain('dpd');
  },
);

test('a wrong check digit rules out both DPD and DPD UK', () => {
  expect(detect('15502840173659N', off)).toEqual([]);
});

test('for twelve bare digits, SF comes first, followed by every other owner of that length', () => {
  const carriers = detect('238401736590', off).map(({ carrier }) => carrier);
  expect(carriers[0]).toBe('sf-express');
  expect(carriers).toContain('zto');
});

test('a sandbox number belongs only to the sandbox if it is enabled, and is nothing special otherwise', () => {
  expect(detect('SBXDELIVERED0042', { sandbox: true })).toEqual([{ carrier: 'sandbox', confidence: 100 }]);
  expect(detect('SBXDELIVERED0042', off).some(({ carrier }) => carrier === 'sandbox')).toBe(false);
  expect(detect('SBX0042', { sandbox: true }).some(({ carrier }) => carrier === 'sandbox')).toBe(false);
});

test('candidates are known carriers, each once, best first, from 1 to 100', () => {
  const number = fc.oneof(
    fc.stringMatching(/^[A-Z0-9]{5,50}$/),
    fc.stringMatching(/^\d{8,34}$/),
    fc.stringMatching(/^[A-Z]{2}\d{9}[A-Z]{2}$/),
  );
  fc.assert(
    fc.property(number, (text) => {
      const found = detect(text, off);
      const confidences = found.map(({ confidence }) => confidence);
      expect(new Set(found.map(({ carrier }) => carrier)).size).toBe(found.length);
      expect(confidences).toEqual([...confidences].sort((a, b) => b - a));
      expect(confidences.every((confidence) => confidence >= 1 && confidence <= 100)).toBe(true);
      expect(found.every(({ carrier }) => findCarrier(carrier, off))).toBe(true);
    }),
  );
});

test.each<[string, string, MatchReason]>([
  ['YT8962646785999', 'yto', 'marks'],
  ['SF7284016359285', 'sf-express', 'marks'],
  ['238401736590', 'sf-express', 'form'],
  ['75283940617254', 'zto', 'marks'],
  ['284017365', 'deppon', 'form'],
  ['EA407182533CN', 'china-ems', 'marks_and_check_digit'],
  ['EA407182539CN', 'china-ems', 'wrong_check_digit'],
  ['1Z7K3R950361840278', 'ups', 'marks_and_check_digit'],
  ['1Z7K3R950361840279', 'ups', 'wrong_check_digit'],
  ['4617302852', 'dhl', 'check_digit'],
  ['783519204649', 'fedex', 'check_digit'],
  ['4PX3018402756193CN', '4px', 'marks'],
  ['MQK284017365', 'purolator', 'form'],
])('%s may be of %s because of %s', (number, carrier, reason) => {
  expect(detectWithReasons(number, off).find((candidate) => candidate.carrier === carrier)?.reason).toBe(reason);
});

test('a number of the sandbox is reported as such', () => {
  expect(detectWithReasons('SBXEXPRESS1', { sandbox: true })).toEqual([
    { carrier: 'sandbox', confidence: 100, reason: 'sandbox' },
  ]);
});

/** As many as are checked one after another. */
const FIRST = 4;
const JAPANESE = ['yamato', 'sagawa', 'japan-post'];

const withCheckDigit = (serial: string) => serial + (Number(serial) % 7);
/** Those from 000 to 005 have SiCepat's form, which says more than a check digit. */
const serials = fc.stringMatching(/^\d{11}$/).filter((serial) => !/^00[0-5]/.test(serial));
const first = (number: string, countries: string[] = []) => {
  const { undecided } = chooseCarrier(number, { sandbox: false, countries });
  return askOrder(
    undecided.map((each) => ({ ...each, cost: 'free' as const, lacksInput: false })),
    FIRST,
  ).map(({ carrier }) => carrier);
};

test('to Japan, a valid check digit puts its three carriers among the four that are checked, whatever the serial', () => {
  fc.assert(
    fc.property(serials, (serial) => {
      const number = withCheckDigit(serial);
      expect(first(number, ['JP'])).toEqual(expect.arrayContaining([...JAPANESE, first(number)[0]]));
    }),
  );
});

test('a wrong one leaves them out', () => {
  fc.assert(
    fc.property(serials, fc.integer({ min: 1, max: 9 }), (serial, by) => {
      const number = `${serial}${((Number(serial) % 7) + by) % 10}`;
      fc.pre(!mod7(number));
      const candidates = chooseCarrier(number, { sandbox: false }).candidates.map(({ carrier }) => carrier);
      expect(candidates.filter((carrier) => JAPANESE.includes(carrier))).toEqual([]);
    }),
  );
});

test.each(['18401736592', '47618203945', '28391746502', '55820174639', '90413728561'])(
  '%s and its check digit is registered under the likeliest carrier, not certain of any',
  (serial) => {
    const { carrier, isSure, candidates } = chooseCarrier(withCheckDigit(serial), { sandbox: false });
    expect(isSure).toBe(false);
    expect(carrier).toBe(candidates[0]?.carrier);
  },
);

test('without evidence of Japan, the carrier that most numbers of this length are of comes first', () => {
  expect(first('783519204649')[0]).toBe('fedex');
  expect(first(withCheckDigit('18401736592'))).toEqual(['sf-express', 'japan-post', 'yamato', 'sagawa']);
  expect(first('353563075655', ['KR'])).toEqual(['cj-logistics', 'hanjin', 'lotte', 'sf-express']);
});

test.each([
  ['the whole number', '184017365', '18401736592'],
  ['the serial behind two digits', '284017365', '28401736595'],
])('CJ Logistics: the check digit is that of %s', (_what, ten, twelve) => {
  const digitOf = (serial: string) => Number(_what === 'the whole number' ? serial : serial.slice(2)) % 7;
  for (const serial of [ten, twelve]) {
    const { candidates } = chooseCarrier(serial + digitOf(serial), { sandbox: false });
    expect(candidates.map(({ carrier }) => carrier)).toContain('cj-logistics');
  }
});
