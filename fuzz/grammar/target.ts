import type { Random } from '../../chaos/random.js';
import { hostileText } from './atoms.js';

const slashed = ['//', '/./', '/x/../', '/%2e/', '%2f', ';a=b/', '\\'];

/** The target of a request, spelled otherwise. It may mean the same route, another one or none. */
export function misspelled(target: string, random: Random): string {
  const [path = '/', query = ''] = target.split('?');
  const rest = query ? `?${query}` : '';
  const place = random.integer(1, Math.max(1, path.length - 1));
  switch (random.integer(0, 9)) {
    case 0:
      return path.slice(0, place) + percent(path[place] ?? '/') + path.slice(place + 1) + rest;
    case 1:
      return path.replace(/.\//, (found) => found.slice(0, 1) + random.pick(slashed)) + rest;
    case 2:
      return `${path}${random.pick(['/', '/.', '//', '%20', '%00', '%', '%ff', '.json', '?', '#', ';', '*'])}${rest}`;
    case 3:
      return path.toUpperCase() + rest;
    case 4:
      return `http://${random.pick(['127.0.0.1', 'other.example', 'localhost:1', 'a@b'])}${path}${rest}`;
    case 5:
      return `${path}?${'a=b&'.repeat(random.pick([10, 500]))}${query}`;
    case 6:
      return path.slice(0, place) + encodeText(hostileText(random)).slice(0, 4_000) + path.slice(place) + rest;
    case 7:
      return `${path}/${'a/'.repeat(random.pick([5, 300]))}${rest}`;
    case 8:
      return `//${path}${rest}`;
    default:
      return `${path}?${random.pick(['__proto__[a]=1', 'constructor[prototype][a]=1', 'a[]=1&a[]=2', 'a[b][c][d][e][f][g]=1', '=', '&&&', '%00=%00', 'debug=true', 'format=mcp&format=native', 'wait=1e9', '\u0080'])}${query && '&'}${query}`;
  }
}

/** For a path or a query. Lone surrogates, which no encoding has, become the bytes that a careless client would send. */
export function encodeText(text: string): string {
  return Array.from(text, (one) => (one.isWellFormed() ? encodeURIComponent(one) : '%ED%A0%80')).join('');
}

function percent(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
