#!/usr/bin/env node
// `npx invoq`, on whatever Node the machine has (20 or newer): scripts/run.mjs builds what is missing and runs apps/cli on Node 24.
process.env.INIT_CWD ||= process.cwd();
process.argv.splice(2, 0, 'apps/cli/src');
await import('../scripts/run.mjs');
