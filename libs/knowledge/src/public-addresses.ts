// Decides which addresses may appear in answers: public web pages and paths of the repository, never private networks (ST-52).

const privateSuffixes = [
  '.local',
  '.localhost',
  '.internal',
  '.intranet',
  '.lan',
  '.corp',
  '.home',
  '.private',
  '.test',
  '.invalid',
  '.arpa',
];
const privateNames = /(^|\.)(corp|intranet|internal|lan)\./;
/** Not `isIP` of node:net, which a process that reads documents may not load. */
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const blocked = '[private address]';

/** Whether a URL is public: http(s), a name in the public DNS or a public IP address, and no credentials. */
export function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return false;
  return url.username === '' && url.password === '' && isPublicHost(url.hostname);
}

/** Whether a text is a relative path that stays inside the repository. */
export function isRepositoryPath(text: string): boolean {
  return (
    /^[\p{L}\p{N}_][\p{L}\p{N}_.\- /]*$/u.test(text) &&
    !text.split('/').some((part) => part === '..' || part === '.git') &&
    !text.startsWith('.')
  );
}

/** Replaces every address of a private network by `[private address]`. Public addresses stay unchanged. */
export function withoutPrivateAddresses(text: string): string {
  return text
    .replace(/\b[a-z][a-z0-9+.-]{1,12}:\/\/[^\s<>"'`)\]}，。；、）】》]+/giu, (found) => (keeps(found) ? found : blocked))
    .replace(/(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)(?::\d{1,5})?/g, (found) => (isPrivateIpText(found) ? blocked : found))
    .replace(
      /(?<![\w.@-])(?:[a-z0-9-]+\.)+(?:internal|intranet|corp|lan|local)(?![\w-]|\.\w)(?::\d{1,5})?(?:\/[^\s<>"'`)\]}，。；、）】》]*)?/giu,
      blocked,
    );
}

/** Whether an address may stay. Other schemes are judged by their host too: `postgres://db.internal/x`. */
function keeps(address: string): boolean {
  const asWeb = address.replace(/^[^:]+/, 'https').replace(/(?<![.,;:!?])[.,;:!?]+$/, '');
  return isPublicUrl(asWeb);
}

function isPrivateIpText(text: string): boolean {
  const [address = ''] = text.split(':');
  return ipv4.test(address) && !isPublicHost(address);
}

/** @param hostname as `URL` gives it: IPv6 in brackets */
function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return isPublicIpv6(hostname.slice(1, -1).toLowerCase());
  const host = hostname.replace(/\.$/, '').toLowerCase();
  if (ipv4.test(host)) return isPublicIpv4(host);
  if (!host.includes('.') || privateNames.test(host)) return false;
  return !privateSuffixes.some((suffix) => host.endsWith(suffix));
}

function isPublicIpv4(address: string): boolean {
  const [a = 0, b = 0] = address.split('.').map(Number);
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 172 && b >= 16 && b <= 31) return false;
  if (a === 100 && b >= 64 && b <= 127) return false;
  return !((a === 192 && b === 168) || (a === 169 && b === 254));
}

/** Only global unicast addresses that do not embed an IPv4 address. */
function isPublicIpv6(address: string): boolean {
  return /^[23][0-9a-f]{0,3}:/.test(address) && !/^(2001:0?:|2001:db8:|2002:|64:ff9b:)/.test(address);
}
