// `npm start` and `invoq dev`: the whole product, and the user's own tools where there are any, until Ctrl-C.
import { printError, runScript } from '#lib/command-line';
import { serveOwnTools } from './own-tools/serve-own-tools.js';
import { toolsFolder } from './own-tools/tools-folder.js';
import { startUntilStopped } from './start-until-stopped.js';

await runScript(() => {
  const folder = toolsFolder();
  return startUntilStopped({
    layout: 'together',
    onReady: (local, run) => {
      if (folder !== null) serveOwnTools(folder, local, run).catch((error: unknown) => printError(String(error)));
    },
  });
});
