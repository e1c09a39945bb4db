// Bytes on a socket that no HTTP client would send.
import type { Random } from '../../chaos/random.js';
import { hostileText } from '../grammar/atoms.js';
import type { Case } from '../requests/case.js';

const json = '{"height_cm":175,"weight_kg":70,"age":30,"gender":"male","activity_level":"moderate"}';
const head = (line: string, ...headers: readonly string[]) =>
  `${[line, 'Host: 127.0.0.1', 'Authorization: Bearer {{user}}', ...headers].join('\r\n')}\r\n\r\n`;
const post = (...headers: readonly string[]) => head('POST /tools/calc_metrics HTTP/1.1', 'Content-Type: application/json', ...headers);
const close = 'Connection: close';

const attacks: readonly ((random: Random) => string)[] = [
  // Chunks.
  () => `${post('Transfer-Encoding: chunked', close)}zz\r\n${json}\r\n0\r\n\r\n`,
  () => `${post('Transfer-Encoding: chunked', close)}ffffffffffffffff\r\n${json}`,
  () => `${post('Transfer-Encoding: chunked', close)}-5\r\n${json}\r\n0\r\n\r\n`,
  () => `${post('Transfer-Encoding: chunked', close)}${json.length.toString(16)};${'e=x;'.repeat(5_000)}\r\n${json}\r\n0\r\n\r\n`,
  () => `${post('Transfer-Encoding: chunked', close)}${json.length.toString(16)}\r\n${json}\r\n0\r\nX-Trailer: a\r\n\r\n`,
  () => `${post('Transfer-Encoding: chunked', 'Content-Length: 5', close)}0\r\n\r\nGET /admin/queues HTTP/1.1\r\n\r\n`,
  () => `${post('Transfer-Encoding: gzip, chunked', close)}0\r\n\r\n`,
  () => `${post('Transfer-Encoding: xchunked', close)}0\r\n\r\n`,
  () => `${post('Transfer-Encoding: chunked', close)}${Array.from(json, (one) => `1\r\n${one}\r\n`).join('')}0\r\n\r\n`,
  // Lengths.
  () => `${post('Content-Length: 5', 'Content-Length: 6', close)}${json}`,
  () => `${post(`Content-Length: ${json.length + 50}`, close)}${json}`,
  () => `${post('Content-Length: -1', close)}${json}`,
  () => `${post('Content-Length: 99999999999999999999', close)}${json}`,
  () => `${post('Content-Length: 1e3', close)}${json}`,
  () => `${post(`Content-Length: 0${json.length}`, close)}${json}`,
  // Heads.
  (random) =>
    head('GET /tools HTTP/1.1', ...Array.from({ length: random.pick([100, 1_500, 4_000]) }, (_, index) => `X-${index}: a`), close),
  (random) => head('GET /tools HTTP/1.1', `X-Long: ${'a'.repeat(random.pick([8_000, 20_000, 70_000]))}`, close),
  () => head('GET /tools HTTP/1.1', 'X Space: a', close),
  () => head('GET /tools HTTP/1.1', 'X-Nul: a\0b', close),
  () => head('GET /tools HTTP/1.1', 'X-Fold: a\r\n b', close),
  () => head('GET /tools HTTP/1.1', ': empty', close),
  () => head('GET /tools HTTP/1.1', 'Authorization: Bearer x', close),
  () => head('GET /tools HTTP/1.1', 'Host: other.example', close),
  () => head('GET /tools HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 3', close),
  () => head('GET /tools HTTP/1.1', 'Upgrade: websocket', 'Connection: Upgrade, close'),
  () => head('GET /tools HTTP/1.1', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__', 'Connection: Upgrade, HTTP2-Settings'),
  // Request lines.
  () => head('GET http://other.example/admin/queues HTTP/1.1', close),
  () => head('GET //other.example/tools HTTP/1.1', close),
  () => head('OPTIONS * HTTP/1.1', close),
  () => head('CONNECT 127.0.0.1:6379 HTTP/1.1', close),
  () => head('GET /tools HTTP/9.9', close),
  () => head('GET /tools HTTP/1.0'),
  () => head('GET  /tools  HTTP/1.1', close),
  () => head('GET /tools', close),
  () => head('G\0T /tools HTTP/1.1', close),
  () => head('GET /tools\0 HTTP/1.1', close),
  () => head('GET /\u00e9\u00ff HTTP/1.1', close),
  (random) => head(`GET /${'a'.repeat(random.pick([2_000, 15_000, 80_000]))} HTTP/1.1`, close),
  (random) =>
    head(
      `GET /tools/${hostileText(random)
        .replaceAll(/[^\x21-\xff]/g, '')
        .slice(0, 500)} HTTP/1.1`,
      close,
    ),
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  () => '*1\r\n$8\r\nFLUSHALL\r\n',
  () => '\r\n'.repeat(2_000),
  () => '\0'.repeat(5_000),
  (random) => String.fromCharCode(...Array.from({ length: 2_000 }, () => random.integer(0, 255))),
  // Halves: the other half never comes.
  () => 'GET /tools HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half',
  () => `${post(`Content-Length: ${json.length}`, close)}${json.slice(0, 20)}`,
  // Several at once.
  (random) => head('GET /healthz HTTP/1.1').repeat(random.pick([2, 5, 20])) + head('GET /tools HTTP/1.1', close),
  () => post(`Content-Length: ${json.length}`).concat(json).repeat(5) + head('GET /nothing HTTP/1.1', close),
  () => `${head('GET /healthz HTTP/1.1', 'Content-Length: 30')}GET /admin/queues HTTP/1.1\r\n\r\n${head('GET /healthz HTTP/1.1', close)}`,
  () => `${head('GET /tools/calc_metrics/sse?age=x HTTP/1.1', 'Accept: text/event-stream')}${head('GET /healthz HTTP/1.1', close)}`,
];

export function rawCase(random: Random): Case {
  let raw = random.pick(attacks)(random);
  if (random.chance(0.3)) {
    const place = random.integer(0, raw.length);
    raw = raw.slice(0, place) + String.fromCharCode(random.integer(0, 255)) + raw.slice(place + random.integer(0, 2));
  }
  return { door: 'raw bytes', steps: [{ method: 'RAW', target: '', headers: [], raw }] };
}
