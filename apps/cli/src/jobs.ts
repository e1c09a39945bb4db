import { print, printError, UsageError } from '#lib/command-line';
import { jobStates } from '#lib/contracts';
import { defineCommand, oneOf, wholeNumber } from './command.js';
import { connect } from './connect.js';

const openStates = ['waiting', 'active', 'delayed', 'resting'] as const;

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
  positionals: ['[job]'],
  options: {
    tool: { type: 'string', value: '<name>', help: 'all of yours of this tool that have not ended' },
    state: { type: 'string', value: '<state>', help: `all that are in this state: ${openStates.join(', ')}` },
    from: { type: 'string', value: '<time>', help: 'accepted at this time or after, ISO 8601 with an offset' },
    to: { type: 'string', value: '<time>', help: 'accepted before this time' },
    user: { type: 'string', value: '<id>', help: 'those of this user, with a key that may act for it' },
    all: { type: 'boolean', help: 'all of yours that have not ended' },
    'dry-run': { type: 'boolean', help: 'only say how many they are' },
  },
  notes: 'Either one job, or all of yours that have not ended and meet each filter.',
  async run({ positionals: [id], values: { all = false, 'dry-run': isDry = false, tool, state: given, from, to, user } }) {
    const state = oneOf('--state', given, openStates);
    const filter = {
      ...(tool !== undefined && { tool }),
      ...(state !== undefined && { state }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(user !== undefined && { user }),
    };
    const isMany = all || Object.keys(filter).length > 0;
    if ((id === undefined) !== isMany || (id !== undefined && isDry))
      throw new UsageError('Name either one job, or filters of many: --tool, --state, --from, --to, --user or --all');
    const invoq = connect();
    if (id !== undefined) {
      await invoq.cancel(id);
      return print(`Cancelled ${id}`);
    }
    if (isDry) return print(`${await invoq.countOpen(filter)} calls have not ended`);
    print(`Cancelled ${await invoq.cancelAll(filter)} calls`);
  },
});
