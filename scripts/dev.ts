// `npm run dev`: as `npm start`, and after a change the apps whose code has changed are restarted; pages of the console follow its sources.
import { runWithoutArguments } from '#lib/command-line';

const help = `As npm start, and after a change the apps whose code has changed are restarted; pages of the console follow its sources.

  npm run dev
`;

await runWithoutArguments(help, async () => {
  // Loads what starts and builds: half a second of a processor, which the help does not need.
  const { develop } = await import('./dev/develop.js');
  return develop();
});
