// Runs several worker apps in one process, for `npm start` on a small machine. In production each has a process of its own.
// Arguments: app=port of its health and metrics, for each.
for (const argument of process.argv.slice(2)) {
  const [app = '', port] = argument.split('=');
  // An app reads its settings when it is loaded.
  process.env['HEALTH_PORT'] = port;
  await import(new URL(`../apps/${app}/src/main.js`, import.meta.url).href);
}
