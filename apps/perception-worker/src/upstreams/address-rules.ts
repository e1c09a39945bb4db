// Which addresses outside servers may have. `urlViolation` checks a URL; `guardedFetch` also checks what its name resolves to.
import { BlockList, isIP } from 'node:net';

const privateRanges: readonly (readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  // Unspecified, loopback, and IPv4 addresses in the deprecated compatible form (RFC 4291).
  ['::', 96, 'ipv6'],
  // IPv4 addresses embedded by NAT64 (RFC 6052, RFC 8215), Teredo (RFC 4380) and 6to4 (RFC 3056). Mapped ones, ::ffff:0:0/96, are
  // checked in `isPrivateAddress`: as a range here they would match all of IPv4.
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  // Unique local, link-local, and the deprecated site-local addresses.
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];
const blocked = new BlockList();
for (const range of privateRanges) blocked.addSubnet(...range);

/** True also for what is no IP address, so that a caller that takes the wrong text refuses it. */
export function isPrivateAddress(address: string): boolean {
  const version = isIP(address);
  return version === 0 || /^::ffff:/i.test(address) || blocked.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

export interface AddressRules {
  /** `example.com` or `*.example.com`; empty for every host. */
  readonly allowedHosts: readonly string[];
  /** Allows private networks and plain HTTP: for development, where servers run on the same machine. */
  readonly allowPrivate: boolean;
}

/** The rule that forbids requests to this URL, as the end of a sentence; null if none does. Does not look the name up. */
export function urlViolation(url: URL, { allowedHosts, allowPrivate }: AddressRules): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `the scheme ${url.protocol} is not http or https`;
  if (url.username !== '' || url.password !== '') return 'a credential stands in the address; send it as a header';
  // A name may end in a dot, which means the same host.
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (allowedHosts.length > 0 && !allowedHosts.some((allowed) => matches(host, allowed.toLowerCase())))
    return `the host ${host} is not on the allow-list`;
  if (!allowPrivate && (isIP(host) !== 0 ? isPrivateAddress(host) : /(^|\.)(localhost|local|internal)$/.test(host)))
    return `the host ${host} is in a private network`;
  if (!allowPrivate && url.protocol !== 'https:') return 'the address must begin with https://';
  return null;
}

function matches(host: string, allowed: string): boolean {
  return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;
}
