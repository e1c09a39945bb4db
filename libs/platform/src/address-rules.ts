// Which addresses may be requested that tenants have given: outside servers, webhooks. `urlViolation` checks a URL; `lookupPublicOnly` checks
// what its name resolves to.
import { BlockList, isIP } from 'node:net';

type Range = readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'];

const privateRanges: readonly Range[] = [
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
  // Within global unicast: IPv4 addresses embedded by Teredo (RFC 4380) and 6to4 (RFC 3056), and documentation (RFC 3849, RFC 9637).
  ['2001::', 32, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
];
/**
 * IPv6 addresses of the internet (RFC 4291, section 2.4). All others are refused, known or not: loopback, IPv4 addresses in the mapped,
 * compatible, translated and NAT64 forms, unique local, link-local, site-local and multicast ones.
 */
const globalUnicast: Range = ['2000::', 3, 'ipv6'];
const blocked = new BlockList();
for (const range of privateRanges) blocked.addSubnet(...range);
const reachable = new BlockList();
reachable.addSubnet(...globalUnicast);

/** True also for what is no IP address, so that a caller that takes the wrong text refuses it. */
export function isPrivateAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return blocked.check(address, 'ipv4');
  return version === 0 || !reachable.check(address, 'ipv6') || blocked.check(address, 'ipv6');
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
