// `npm start`: the whole product, until Ctrl-C.
import { runScript } from '#lib/command-line';
import { startUntilStopped } from './start-until-stopped.js';

await runScript(() => startUntilStopped({ layout: 'together' }));
