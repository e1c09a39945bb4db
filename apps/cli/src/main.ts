// `invoq`: the tools from the command line. Where the gateway is and who is calling come from INVOQ_URL and INVOQ_API_KEY, or from
// .data/dev.env that npm start writes.
import { Invoq, InvoqError } from '#lib/client';
import { print, printError, runScript, settingOf, UsageError } from '#lib/command-line';
import { callTool } from './call.js';
import { listJobs, listTools, showJob, showTrace } from './lists.js';

const usage = `Usage: invoq <command>

  invoq tools [--domain <name>] [--json]          the tools that there are
  invoq call <tool> --help                        what a tool takes
  invoq call <tool> [--<parameter> <value> …]     calls it; the answer's data as JSON
  invoq jobs [--state <state>] [--tool <name>] [--limit <n>] [--json]
  invoq job <id> [--wait] [--cancel]              one call
  invoq trace <trace id> [--json]                 what a call did

INVOQ_URL and INVOQ_API_KEY print where and as whom; npm start writes them to .data/dev.env.`;

const commands: Readonly<Record<string, (invoq: Invoq, args: readonly string[]) => Promise<number>>> = {
  tools: listTools,
  call: callTool,
  jobs: listJobs,
  job: showJob,
  trace: showTrace,
};

await runScript(async () => {
  const [name = 'help', ...args] = process.argv.slice(2);
  const command = commands[name];
  if (!command) {
    print(usage);
    return ['help', '--help', '-h'].includes(name) ? 0 : 2;
  }
  try {
    return await command(connect(), args);
  } catch (error) {
    if (error instanceof UsageError) {
      printError(`error: ${error.message}`);
      return 2;
    }
    if (!(error instanceof InvoqError)) throw error;
    printError(`error: ${error.code}: ${error.message}`);
    if (error.traceId) printError(`trace: ${error.traceId}`);
    return 1;
  }
});

function connect(): Invoq {
  const url = settingOf('INVOQ_URL');
  if (!url) throw new UsageError('set INVOQ_URL (and INVOQ_API_KEY), or run npm start');
  return new Invoq({ url, key: settingOf('INVOQ_API_KEY') });
}
