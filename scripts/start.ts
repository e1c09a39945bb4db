// `npm start`: the whole product, until Ctrl-C.
import { runScript } from './say.js';
import { startUntilStopped } from './start-until-stopped.js';

await runScript(() => startUntilStopped());
