import type { z } from 'zod';
import type { SettingList } from '#lib/contracts';

type Setting = SettingList['settings'][number];

/** Names of settings that hold secrets. A new one is meant too if it is named like them. */
const secretName = /(KEY|KEYS|SECRET|SECRETS|TOKEN|TOKENS|PASSWORD)$/;

/**
 * Settings as people may see them: secrets by the mere fact that they are set, addresses without user, password and query.
 * @param shape of the settings, for the value that each has when nothing is set
 */
export function shownSettings(shape: z.ZodRawShape, settings: Readonly<Record<string, unknown>>): Setting[] {
  return Object.entries(shape)
    .map(([name, schema]) => {
      const value = settings[name];
      const is_secret = secretName.test(name);
      const unset =
        '_zod' in schema && 'safeParse' in schema && typeof schema.safeParse === 'function' ? schema.safeParse(undefined) : null;
      const is_default = unset?.success === true && JSON.stringify(unset.data) === JSON.stringify(value);
      return { name, value: is_secret ? maskOf(value) : shownValue(value), is_secret, is_default };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function maskOf(value: unknown): string | null {
  return value === undefined ? null : '[secret]';
}

function shownValue(value: unknown): Setting['value'] {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((one) => withoutCredential(String(one)));
  return typeof value === 'string' ? withoutCredential(value) : '[set]';
}

function withoutCredential(text: string): string {
  if (!text.includes('://')) return text;
  // Of every server where several are named, as with a cluster of Redis. A password may hold anything but a slash, and an @ too.
  const bare = text.replaceAll(/:\/\/[^/]*@/g, '://');
  if (!URL.canParse(bare)) return bare;
  const url = new URL(bare);
  if (url.search === '') return bare;
  // A password of Postgres may stand there too.
  url.search = '';
  return url.href;
}
