// Argument: the port, 12111 without one.
import { StripeSandbox } from './sandbox.js';

const sandbox = await StripeSandbox.start(Number(process.argv[2] ?? 12_111));
process.stdout.write(`stripe sandbox on ${sandbox.url}\n`);
for (const event of ['SIGTERM', 'SIGINT', 'disconnect'])
  process.once(event, () => void sandbox[Symbol.asyncDispose]().then(() => process.exit(0)));
