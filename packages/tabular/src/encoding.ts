/** The encodings of texts that are read. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030' | 'euc-kr' | 'euc-jp' | 'windows-1252';

const UTF8_MARK = Buffer.from('\ufeff');
/** More of the bytes beyond ASCII than this must look like one of them. */
const SHARE = 0.9;
/** About half of the bytes of UTF-16 are NUL, and hardly any of the bytes of other texts. */
const MAX_NUL_SHARE = 0.1;
/** The bytes that stand for nothing in Windows-1252, although its decoders take them. */
const NOT_WINDOWS_1252: readonly number[] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/** Stands for bytes that are not valid in their encoding: no file has it, while U+FFFD may be in one. */
export const UNDECODABLE = '\ufffe';

/** Learns the encoding of a text from its bytes, which come piece by piece. */
export type EncodingGuess = {
  take(piece: Uint8Array): void;
  /** Null if it is none of these. */
  encoding(): Encoding | null;
};

/**
 * A byte order mark decides, then what the sender states, if all of the text is that, then whether it is UTF-8, then
 * whether every other byte is NUL, as in UTF-16. Otherwise its bytes beyond ASCII decide: most of them may be UTF-8, in
 * Chinese, Korean and Japanese text they come in rows of pairs, in Western European text alone, or at most two
 * together, which are seldom a common Chinese character.
 */
export function guessEncoding(stated: Encoding | null = null): EncodingGuess {
  const utf8 = validity('utf-8');
  // UTF-8 and UTF-16 are tried in any case. Almost everything is Windows-1252; what is UTF-8 as well is meant as that.
  const isOther = stated === 'gb18030' || stated === 'euc-kr' || stated === 'euc-jp';
  const asStated = isOther ? validity(stated) : null;
  let start = Buffer.alloc(0);
  /** Continuation bytes that are still to come, and whole and broken characters, if the text is UTF-8. */
  const characters = { open: 0, whole: 0, broken: 0 };
  let all = 0;
  /** At even and at odd places. */
  const nul: [number, number] = [0, 0];
  let run: number[] = [];
  const bytes = { few: 0, paired: 0, other: 0 };
  let isWindows1252 = true;
  const pairs = pairsIn();

  const endRun = () => {
    const { length } = run;
    if (length === 0) return;
    if (length <= 2 && !isCommonChinese(run)) bytes.few += length;
    else if (length % 2 === 0 && run.every((byte) => byte >= 0xa1 && byte <= 0xfe)) {
      bytes.paired += length;
      pairs.take(run);
    } else bytes.other += length;
    run = [];
  };
  const countCharacter = (byte: number) => {
    const continues = byte >= 0x80 && byte <= 0xbf;
    if (continues && characters.open > 0) {
      characters.open -= 1;
      if (characters.open === 0) characters.whole += 1;
      return;
    }
    if (continues || characters.open > 0 || byte === 0xc0 || byte === 0xc1) characters.broken += 1;
    if (byte < 0xc2) characters.open = 0;
    else characters.open = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  };
  const countBytes = (piece: Uint8Array) => {
    for (const byte of piece) {
      if (byte === 0) nul[all % 2 === 0 ? 0 : 1] += 1;
      all += 1;
      countCharacter(byte);
      if (byte < 0x80) endRun();
      else {
        if (NOT_WINDOWS_1252.includes(byte)) isWindows1252 = false;
        // A long run is counted in parts.
        if (run.push(byte) === 64) endRun();
      }
    }
  };
  return {
    take(piece) {
      if (start.length < 3) start = Buffer.concat([start, piece.subarray(0, 3)]);
      countBytes(piece);
      utf8.take(piece);
      asStated?.take(piece);
    },
    encoding() {
      endRun();
      if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
      if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
      if (start.equals(UTF8_MARK)) return 'utf-8';
      const [even, odd] = nul;
      if (even + odd > MAX_NUL_SHARE * all) return utf16Of(even, odd);
      if (asStated?.isWhole()) return stated;
      if (utf8.isWhole()) return 'utf-8';
      if (stated === 'windows-1252') return isWindows1252 ? stated : null;
      if (even + odd > 0) return null;
      if (characters.whole > SHARE * (characters.whole + characters.broken)) return 'utf-8';
      const { few, paired, other } = bytes;
      if (few + paired < SHARE * (few + paired + other)) return stated === 'utf-8' ? null : stated;
      if (paired >= few) return pairs.encoding();
      return isWindows1252 ? 'windows-1252' : null;
    },
  };
}

/** Latin letters and digits have a NUL before or behind each; null if there are as many of both. */
function utf16Of(even: number, odd: number): Encoding | null {
  if (odd > SHARE * (even + odd)) return 'utf-16le';
  return even > SHARE * (even + odd) ? 'utf-16be' : null;
}

/** Bytes of pairs at the beginning of a text that are looked at. */
const MAX_PAIR_BYTES = 16 * 1024;
/**
 * The most frequent characters of tables of parcels, in headers, names, places and goods, in the language of each
 * encoding whose characters are such pairs.
 */
const FREQUENT = [
  [
    'gb18030',
    /[单号订运快递物流收件人姓名址电话手机商品标题数量重价格日期备注公司省市区县镇乡村路街道室楼栋层园北京上海广东深圳浙江杭州南山西河湖四川成都庆天津福建安徽苏门新城大小中国际王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董程曹袁邓许沈曾彭吕明伟芳娜敏静丽强磊军洋勇艳杰娟涛超秀霞平刚英红蓝黑白绿紫灰色男女童装外套裤裙衣鞋帽包袜衫短长袖春夏秋冬季款加厚棉纯壳膜充线器杯子毛巾纸茶米油水果的一不是在有和已发货保温请轻放盒袋箱床被碗盘灯台桌椅架镜表带链耳环珠宝具护肤洗面霜口膏食品]/g,
  ],
  [
    'euc-kr',
    /[송장번호주문택배상품소이름전화수취인받는사람업체량김박최정강조윤임한오서신권황안류홍고양손백허유남심노하곽성차우구민영진현지은경미준울부산대천광시도동로길읍면군특별역층원색블랙트루파란빨간검흰여자겨바재킷셔츠스피가방모발의을를에기해과와나리아이어연락처일]/g,
  ],
  [
    'euc-jp',
    /[\p{Script=Hiragana}\p{Script=Katakana}番号伝票追跡注文商品名前住所電話届先様東京都大阪府北海道神奈川県埼玉千葉愛知兵庫福岡広島静茨城宮新潟長野岐阜群馬栃木山熊本鹿児沖縄市区町村丁目佐藤鈴高橋田中伊渡辺小林加吉松井上斉清水池石後谷近坂遠青西太郎子美一二三男女黒白赤緑色個数量日時間配送料金便受取人会社円税込帽服靴箱茶花紙器備考至急荷物]/gu,
  ],
] as const;
/** In the right encoding, about half of the characters are frequent ones, in another one in twenty. */
const MIN_FREQUENT = 0.2;
/** So few characters may be none of the frequent ones: then they are most likely Chinese. */
const FEW = 8;

/**
 * Tells Chinese, Korean and Japanese apart, whose pairs of bytes are the same, by the characters that would be frequent
 * in each. Null if they are as frequent in two, or hardly in any.
 */
function pairsIn() {
  const pieces: Buffer[] = [];
  let length = 0;
  return {
    take(run: readonly number[]) {
      if (length > MAX_PAIR_BYTES) return;
      length += run.length;
      pieces.push(Buffer.from(run));
    },
    encoding(): Encoding | null {
      const bytes = Buffer.concat(pieces);
      const pairs = bytes.length / 2;
      const [best, second] = FREQUENT.map(([encoding, frequent]) => {
        const found = new TextDecoder(encoding).decode(bytes).match(frequent) ?? [];
        return { encoding, share: found.length / pairs };
      }).sort((a, b) => b.share - a.share);
      if (!best || !second || best.share < MIN_FREQUENT) return pairs < FEW ? 'gb18030' : null;
      return best.share > 1.5 * second.share ? best.encoding : null;
    },
  };
}

/**
 * Whether a run is one of the 3755 usual characters of GB2312: most of its bytes are capitals of Windows-1252, such as
 * `À¶`.
 */
function isCommonChinese([first = 0, second = 0]: readonly number[]): boolean {
  const isPortuguese = first === 0xc7 && (second === 0xc3 || second === 0xd5); // AÇÃO, AÇÕES
  return first >= 0xb0 && first <= 0xd7 && second >= 0xa1 && second <= 0xfe && !isPortuguese;
}

/** Whether bytes, which come piece by piece, are text in an encoding. */
function validity(encoding: Encoding) {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let isValid = true;
  const decodes = (piece?: Uint8Array) => {
    try {
      if (isValid) decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      isValid = false;
    }
    return isValid;
  };
  return { take: (piece: Uint8Array) => decodes(piece), isWhole: () => decodes() };
}

/**
 * The text of bytes in an encoding, piece by piece, without a byte order mark. Invalid bytes become `UNDECODABLE`; from
 * the first of them on, so does U+FFFD.
 */
export async function* decode(bytes: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  const checked = validity(encoding);
  const marked = (text: string, isValid: boolean) => (isValid ? text : text.replaceAll('\ufffd', UNDECODABLE));
  for await (const piece of bytes) yield marked(decoder.decode(piece, { stream: true }), checked.take(piece));
  yield marked(decoder.decode(), checked.isWhole());
}
