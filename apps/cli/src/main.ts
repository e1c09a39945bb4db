// `invoq`: what users run from the command line.
import { loadDotEnv } from '#lib/command-line';
import { runCli } from './run-cli.js';

// A reader such as `head` that has seen enough closes the pipe: that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
loadDotEnv();
const code = await runCli(process.argv.slice(2));
// Where writing to a pipe is asynchronous, exiting would cut off what is still to be written.
await new Promise((written) => process.stdout.write('', written));
process.exit(code);
