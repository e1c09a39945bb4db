import { labPoison } from '../contracts/lab-poison.js';
import { callOf, handle } from './services.js';

export const handleLabPoison = handle(labPoison, async ({ order, how, block_ms: blockMs }, { ledger, signal, ...context }) => {
  await ledger.attempt(callOf(order, context), signal);
  switch (how) {
    case 'exit':
      return process.exit(7);
    case 'unhandled':
      void Promise.reject(new Error('a rejection that nobody handles'));
      break;
    case 'block':
      for (const end = performance.now() + blockMs; performance.now() < end;);
      break;
  }
  return { order };
});
