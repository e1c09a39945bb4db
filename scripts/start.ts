// `npm start` and `invoq dev`: the whole product, or the user's own tools alone where there are any, until Ctrl-C.
import { loadDotEnv, printError, runScript } from '#lib/command-line';
import { serveOwnTools } from './own-tools/serve-own-tools.js';
import { toolsFolder } from './own-tools/tools-folder.js';
import { startUntilStopped } from './start-until-stopped.js';

await runScript(() => {
  loadDotEnv();
  const folder = toolsFolder();
  // Who writes tools wants to see them, and not some forty others.
  if (folder !== null) process.env['DOMAINS'] ||= 'none';
  return startUntilStopped({
    layout: 'together',
    onReady: (local, run) => {
      if (folder !== null) serveOwnTools(folder, local, run).catch((error: unknown) => printError(String(error)));
    },
  });
});
