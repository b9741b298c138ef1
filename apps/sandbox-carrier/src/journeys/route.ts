import type { Language } from './wording.ts';

/** Where a scan can be made. */
export type Stage = 'origin' | 'originHub' | 'viaHub' | 'destinationHub' | 'destination';

type Table = readonly [string, ...string[]];

/** Invented on purpose, so that a sandbox parcel does not look like a real one. Both lists have twelve. */
const CITIES: Record<Language, Table> = {
  zh: [
    '云溪市',
    '青禾市',
    '望潮市',
    '白鹭市',
    '松岭市',
    '金穗市',
    '月湾市',
    '枫桥镇',
    '石榴市',
    '晴川县',
    '长汐市',
    '梅屿市',
  ],
  en: [
    'Alderwick',
    'Brightmoor',
    'Calder Bay',
    'Dunmere',
    'Eastholt',
    'Fennbrook',
    'Greywater',
    'Hollins Ferry',
    'Ivory Point',
    'Juniper Falls',
    'Kestrel Hill',
    'Larkhaven',
  ],
};
const COURIERS: Record<Language, Table> = {
  zh: ['陈师傅', '林师傅', '周师傅', '何师傅', '苏师傅', '唐师傅', '罗师傅', '许师傅'],
  en: ['Ada', 'Bruno', 'Chiara', 'Dmitri', 'Elif', 'Femi', 'Greta', 'Hugo'],
};
const SUFFIXES: Record<Language, Record<Stage, string>> = {
  zh: {
    origin: '揽收网点',
    originHub: '转运中心',
    viaHub: '转运中心',
    destinationHub: '转运中心',
    destination: '派送站',
  },
  en: { origin: ' Post', originHub: ' Hub', viaHub: ' Hub', destinationHub: ' Hub', destination: ' Depot' },
};
const NEXT: Record<Stage, Stage> = {
  origin: 'originHub',
  originHub: 'viaHub',
  viaHub: 'destinationHub',
  destinationHub: 'destination',
  destination: 'destination',
};

export type Place = { city: string; cityIndex: number; name: string };

/** The route of one parcel: the same number always takes the same route. */
export type Route = { courier: string; at(stage: Stage): Place; after(stage: Stage): Place };

/** The language of a number's texts if the wire does not determine it: Chinese or English, by a hash of the number. */
export function languageOf(number: string): Language {
  return (hash(number) >>> 20) % 2 === 0 ? 'zh' : 'en';
}

export function routeOf(number: string, language: Language): Route {
  const h = hash(number);
  const cities = cityIndexes(h);
  const at = (stage: Stage): Place => {
    const city = pick(CITIES[language], cities[stage]);
    return { city, cityIndex: cities[stage], name: `${city}${SUFFIXES[language][stage]}` };
  };
  return { courier: pick(COURIERS[language], h >>> 16), at, after: (stage) => at(NEXT[stage]) };
}

/** Three different cities: the destination lies 1 to 5 places after the origin in the table, the hub between 6 to 11. */
function cityIndexes(h: number): Record<Stage, number> {
  const origin = h % 12;
  const via = (origin + 6 + ((h >>> 8) % 6)) % 12;
  const destination = (origin + 1 + ((h >>> 4) % 5)) % 12;
  return { origin, originHub: origin, viaHub: via, destinationHub: destination, destination };
}

function pick(table: Table, index: number): string {
  return table[index % table.length] ?? table[0];
}

/** FNV-1a with a last mix, so that numbers that differ in one digit take different routes. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return (h ^ (h >>> 13)) >>> 0;
}
