// Preloaded into what requests addresses of others, the perception worker and the gateways: names under `rebind.example` are public when they are asked for the first time and local from
// then on, as an attacker's name server would have it; `inside.example` is always local. `accounts.example` is a public server as far as anybody
// can look it up, and a connection to it reaches this machine, as a router would have it.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { Socket, type LookupFunction } from 'node:net';

const asked = new Set<string>();
const real = dns.lookup;
// TEST-NET-3 (RFC 5737): public by every rule, and nobody answers there.
const [nowhere, routed] = ['203.0.113.7', '203.0.113.8'];

const lookup: LookupFunction = (hostname, options, callback) => {
  if (!/(^|\.)(rebind|inside|accounts)\.example$/.test(hostname)) return real(hostname, options, callback);
  const isFirst = hostname.includes('rebind') && !asked.has(hostname);
  asked.add(hostname);
  const address = hostname === 'accounts.example' ? routed : isFirst ? nowhere : '127.0.0.1';
  queueMicrotask(() => (options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4)));
};

Object.assign(dns, { lookup });
syncBuiltinESMExports();

/** What looks a name up has decided by then: the way to one address alone is another. */
const here = (find: LookupFunction): LookupFunction => {
  const way = (address: string): string => (address === routed ? '127.0.0.1' : address);
  return (hostname, options, callback) =>
    find(hostname, options, (error, found, family) =>
      callback(error, typeof found === 'string' ? way(found) : found.map((one) => ({ ...one, address: way(one.address) })), family),
    );
};
const connect = Socket.prototype.connect;
Object.assign(Socket.prototype, {
  connect(this: Socket, ...args: unknown[]): unknown {
    const [options] = args;
    const isRouted = typeof options === 'object' && options !== null && 'host' in options && options.host === 'accounts.example';
    if (isRouted) {
      const find = 'lookup' in options && typeof options.lookup === 'function' ? options.lookup : dns.lookup;
      args[0] = { ...options, lookup: here((...of) => Reflect.apply(find, undefined, of)) };
    }
    return Reflect.apply(connect, this, args);
  },
});
