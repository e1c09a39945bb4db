import { print, printError } from '#lib/command-line';
import { jobStates } from '#lib/contracts';
import { defineCommand, oneOf, wholeNumber } from './command.js';
import { connect } from './connect.js';

export const listJobs = defineCommand({
  options: {
    state: { type: 'string', value: '<state>', help: `one of ${jobStates.join(', ')}` },
    tool: { type: 'string', value: '<name>', help: 'only the calls of one tool' },
    limit: { type: 'string', value: '<1–100>', help: 'the most that are listed (default: 20)' },
    json: { type: 'boolean', help: 'the jobs as JSON' },
  },
  async run({ values }) {
    const state = oneOf('--state', values.state, jobStates);
    const limit = wholeNumber('--limit', values.limit, { min: 1, max: 100 });
    const filter = { ...(state && { state }), ...(values.tool && { tool: values.tool }), ...(limit && { limit }) };
    const { jobs } = await connect().jobs(filter);
    if (values.json) return print(JSON.stringify(jobs, null, 2));
    for (const job of jobs) print(`${job.job_id}  ${job.state.padEnd(9)} ${job.tool_name.padEnd(28)} ${job.created_at}  ${job.trace_id}`);
  },
});

export const showJob = defineCommand({
  positionals: ['<job>'],
  options: {},
  async run({ positionals: [id = ''] }) {
    print(JSON.stringify(await connect().job(id), null, 2));
  },
});

export const followJob = defineCommand({
  positionals: ['<job>'],
  options: { json: { type: 'boolean', help: 'every event as JSON, one a line' } },
  notes: 'Progress goes to standard error, the data of the result to standard output. Leaving does not stop the job.',
  async run({ values: { json }, positionals: [id = ''] }) {
    const invoq = connect();
    if (!json) {
      const { data } = await invoq.wait(id, { onProgress: ({ progress, message }) => printError(`${progress} % ${message}`) });
      return print(JSON.stringify(data, null, 2));
    }
    let isFailed = false;
    for await (const event of invoq.jobEvents(id)) {
      print(JSON.stringify(event));
      isFailed = event.event === 'tool_error';
    }
    return isFailed ? 1 : 0;
  },
});

export const cancelJob = defineCommand({
  positionals: ['<job>'],
  options: {},
  async run({ positionals: [id = ''] }) {
    await connect().cancel(id);
    print(`Cancelled ${id}`);
  },
});
