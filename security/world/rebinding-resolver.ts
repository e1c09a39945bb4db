// Preloaded into what requests addresses of others, the perception worker and the gateways: names under `rebind.example` are public when they are asked for the first time and local from
// then on, as an attacker's name server would have it; `inside.example` is always local.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import type { LookupFunction } from 'node:net';

const asked = new Set<string>();
const real = dns.lookup;

const lookup: LookupFunction = (hostname, options, callback) => {
  if (!/(^|\.)(rebind|inside)\.example$/.test(hostname)) return real(hostname, options, callback);
  const isFirst = hostname.includes('rebind') && !asked.has(hostname);
  asked.add(hostname);
  // TEST-NET-3 (RFC 5737): public by every rule, and nobody answers there.
  const address = isFirst ? '203.0.113.7' : '127.0.0.1';
  queueMicrotask(() => (options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4)));
};

Object.assign(dns, { lookup });
syncBuiltinESMExports();
