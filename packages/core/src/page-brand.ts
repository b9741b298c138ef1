import { type Fault, invalidField } from './errors.ts';
import { Message, message } from './languages/message.ts';

/** The least contrast of text that WCAG 2.2 AA allows. */
const MIN_CONTRAST = 4.5;
/** The backgrounds of the page. */
export const PAPER = { light: '#ffffff', dark: '#11161d' } as const;

/** The largest logo in bytes, and in pixels of a side. */
export const MAX_LOGO_BYTES = 64 * 1024;
const MAX_LOGO_PIXELS = 2000;
/** The most origins that may embed the pages of an account. */
export const MAX_ORIGINS = 10;

export type Logo = { width: number; height: number; bytes: Uint8Array<ArrayBuffer> };

/** The contrast of two colours in WCAG 2.2, from 1 to 21. @param a `#rrggbb` */
export function contrast(a: string, b: string): number {
  const [darker = 0, lighter = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

/** Why a colour cannot be read on white; null if it can. */
export function colorFault(color: string): Message | null {
  const ratio = contrast(color, PAPER.light);
  if (ratio >= MIN_CONTRAST) return null;
  const shown = (Math.floor(ratio * 100) / 100).toFixed(2);
  return message('field.contrast', { ratio: shown, min: MIN_CONTRAST });
}

/** A colour as it is used on the dark background: lightened until it can be read there. */
export function onDark(color: string): string {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mixedWithWhite(color, share);
    if (contrast(mixed, PAPER.dark) >= MIN_CONTRAST) return mixed;
  }
  return PAPER.light;
}

function mixedWithWhite(color: string, share: number): string {
  const mixed = channels(color).map((channel) => Math.round(channel + (255 - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** A scheme and a host. Without the slashes, `https:shop.example` is an address relative to the page. */
const WITH_HOST = /^https:\/\/[^/\\?#\s]/i;

/** An address as it is stored: as every browser reads it. */
export function normalUrl(text: string): string {
  return WITH_HOST.test(text) ? new URL(text).href : text;
}

/** Why a text cannot be the address of a shop; null if it can. */
export function shopUrlFault(text: string): Message | null {
  const url = WITH_HOST.test(text) && URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === '';
  return isPlain ? null : message('field.shop_url');
}

const MAILTO = /^mailto:[A-Za-z0-9.!#$%&'*+/=^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,255}$/;

/** Why a text cannot be the address of a shop's support or notifications; null if it can. */
export function supportUrlFault(text: string): Message | null {
  if (MAILTO.test(text)) return null;
  const isUrl = shopUrlFault(text) === null;
  return isUrl ? null : message('field.support_url');
}

/** It becomes part of a header: no wildcards and no other characters. */
const ORIGIN = /^https:\/\/[a-z0-9.-]{1,253}(?::\d{1,5})?$/;

/** Why a text cannot be an origin that embeds pages; null if it can. */
function originFault(text: string): Message | null {
  const isOrigin = ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text;
  return isOrigin ? null : message('field.origin');
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The signature, the length and name of the first chunk, and its width and height. */
const PNG_HEAD_BYTES = 24;

/** Reads a logo. @returns what is wrong with it, as a text after the name of its field. */
export function readLogo(base64: string): Logo | Message {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  if (bytes.length > MAX_LOGO_BYTES) return message('field.logo_bytes', { bytes: bytes.length, max: MAX_LOGO_BYTES });
  const head = Buffer.from(bytes.subarray(0, PNG_HEAD_BYTES));
  const isPng = PNG_SIGNATURE.every((byte, at) => head[at] === byte) && head.toString('latin1', 12, 16) === 'IHDR';
  if (head.length < PNG_HEAD_BYTES || !isPng) return message('field.logo_png');
  const [width, height] = [head.readUInt32BE(16), head.readUInt32BE(20)];
  const fits = [width, height].every((side) => side >= 1 && side <= MAX_LOGO_PIXELS);
  return fits ? { width, height, bytes } : message('field.logo_pixels', { width, height, max: MAX_LOGO_PIXELS });
}

const COLOR = /^#[0-9a-f]{6}$/i;

/** The faults of a brand that a schema does not see, in the fields of a request. */
export function brandFaults(input: Record<string, unknown>): Fault[] {
  const { color, shop_url, support_url, notify_url, embed_origins, logo } = input;
  const origins = Array.isArray(embed_origins) ? embed_origins.slice(0, MAX_ORIGINS) : [];
  return [
    ...faultOf('color', color, (text) => (COLOR.test(text) ? colorFault(text) : null)),
    ...faultOf('shop_url', shop_url, shopUrlFault),
    ...faultOf('support_url', support_url, supportUrlFault),
    ...faultOf('notify_url', notify_url, supportUrlFault),
    ...origins.flatMap((origin, n) => faultOf(`embed_origins.${n}`, origin, originFault)),
    ...faultOf('logo', logo, (text) => {
      const read = readLogo(text);
      return read instanceof Message ? read : null;
    }),
  ];
}

function faultOf(field: string, value: unknown, fault: (text: string) => Message | null): Fault[] {
  const message = typeof value === 'string' ? fault(value) : null;
  return message === null ? [] : [invalidField(field, message)];
}
