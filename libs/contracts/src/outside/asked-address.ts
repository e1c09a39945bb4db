// An address that an outside server asks a person to open (URL mode of MCP's elicitation). Nobody of ours opens it.
import { z } from 'zod';

/** @limit outside servers: characters of an address that a server asks a person to open; the question is cancelled, and the caller is warned */
const longestAddress = 2_048;

const schemes = new Set(['http:', 'https:']);

/** As a browser reads it: in ASCII, so that a host with letters of another script is seen to be none of ours. */
export const askedAddress = z
  .string()
  .max(longestAddress, `has more than ${longestAddress} characters`)
  .transform((text, context) => {
    const { url, fault } = readAddress(text);
    if (fault === null) return url.href;
    context.addIssue({ code: 'custom', message: fault, input: text });
    return z.NEVER;
  })
  .pipe(z.string().max(longestAddress, `has more than ${longestAddress} characters`));

/** The host, and the port where it is not that of the scheme. @param address that `askedAddress` has taken */
export function hostOfAddress(address: string): string {
  return new URL(address).host;
}

type Read = { readonly url: URL; readonly fault: null } | { readonly url: null; readonly fault: string };

function readAddress(text: string): Read {
  const faulty = (fault: string): Read => ({ url: null, fault });
  // Browsers drop them or show them as nothing, so the address that is shown would be another.
  if (/[\p{C}\p{Z}]/u.test(text)) return faulty('has blanks or characters that cannot be seen');
  const url = URL.parse(text);
  if (!url) return faulty('is no address');
  if (!schemes.has(url.protocol)) return faulty('must begin with https:// or http://');
  // What stands before the @ looks like a host.
  if (url.username !== '' || url.password !== '') return faulty('must have no name or password before its host');
  return { url, fault: null };
}
