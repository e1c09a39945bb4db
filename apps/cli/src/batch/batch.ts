import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { callerFolder, exitCodes, print, printError, UsageError } from '#lib/command-line';
import type { Batch, Invoq } from '#lib/client';
import type { ProductTools } from '#lib/contracts';
import { defineCommand, wholeNumber } from '../command.js';
import { connect, gatewayUrl } from '../connect.js';
import { ProgressBar } from '../progress-bar.js';
import { stoppable } from '../stoppable.js';
import { BatchStateFile, hashOf, type BatchState } from './batch-state.js';
import { readWritten, writeResults } from './result-file.js';

interface Work {
  readonly invoq: Invoq<ProductTools>;
  readonly file: string;
  readonly out: string;
  readonly stateFile: BatchStateFile;
  readonly state: BatchState;
  readonly isNew: boolean;
  readonly ratePerS: number | undefined;
}

export const batch = defineCommand({
  positionals: ['<file>'],
  options: {
    out: { type: 'string', value: '<file>', help: 'where the results go (default: <file>.results)' },
    rate: { type: 'string', value: '<number>', help: 'calls that begin in a second at the most' },
  },
  notes: `The file has a call in each line: {"id":"a","name":"get_weather","arguments":{"location":"Berlin"}}. At most 10,000.
The results are written as they come, in the order of the calls.

After Ctrl-C, or when the gateway was lost, the same command goes on: the batch runs on, each call is made once, and the results
follow those that are there. What it needs for that is in <file>.batch until the last result is written.

Exit code: 0 every call succeeded, 1 some did not, 2 wrong usage, 130 interrupted.`,
  async run({ positionals: [name = ''], values }) {
    const file = resolve(callerFolder(), name);
    const facts = await stat(file).catch(() => null);
    if (!facts?.isFile()) throw new UsageError(`There is no file ${name}`);
    const ratePerS = wholeNumber('--rate', values.rate, { min: 1, max: 10_000 });
    const out = values.out === undefined ? `${file}.results` : resolve(callerFolder(), values.out);
    const stateFile = new BatchStateFile(file);
    const { state, isNew } = await stateFile.read(await hashOf(file), gatewayUrl());
    return runBatch({ invoq: connect(), file, out, stateFile, state, isNew, ratePerS });
  },
});

async function runBatch(work: Work): Promise<number> {
  let shown = '';
  return stoppable({
    onStop: () => undefined,
    work: async (signal) => {
      const { batch_id, total } = await beginOrGoOn(work, signal);
      shown = batch_id;
      return collect(work, { batch_id, total }, signal);
    },
    onStopped: () =>
      printError(
        shown === ''
          ? 'Interrupted; the same command goes on.'
          : `Interrupted; the batch runs on. The same command goes on; to end it: invoq batches cancel ${shown}`,
      ),
  });
}

/** The key makes one batch of both, however often this is interrupted. */
async function beginOrGoOn(
  { invoq, file, stateFile, state, ratePerS }: Work,
  signal: AbortSignal,
): Promise<Pick<Batch, 'batch_id' | 'total'>> {
  if (state.batchId !== null) return invoq.batches.get(state.batchId, { signal });
  await stateFile.write(state);
  const options = { idempotencyKey: state.key, ratePerS, signal };
  const started = await invoq.batches.create(await openAsBlob(file), options);
  await stateFile.write({ ...state, batchId: started.batch_id });
  printError(`Batch ${started.batch_id}: ${started.total} calls`);
  return started;
}

async function collect(work: Work, { batch_id: id, total }: Pick<Batch, 'batch_id' | 'total'>, signal: AbortSignal): Promise<number> {
  const { invoq, out, stateFile, isNew } = work;
  const before = isNew ? { last: -1, errors: 0 } : await readWritten(out);
  let { last, errors } = before;
  if (last >= 0) printError(`${last + 1} results are in ${out} already`);
  const bar = new ProgressBar(process.stderr, {
    format: '{bar} {percentage} % | {value} of {total} | {errors} errors',
    total,
    payload: { errors },
  });
  bar.update(last + 1, { errors });
  try {
    await writeResults(out, invoq.batches.results(id, { after: last, signal }), {
      isNew,
      onWritten: ({ index, success }) => {
        last = index;
        errors += success ? 0 : 1;
        bar.update(last + 1, { errors });
      },
    });
  } finally {
    bar.stop();
  }
  await stateFile.remove();
  print(`${total - errors} of ${total} calls succeeded; results in ${out}`);
  return errors === 0 ? exitCodes.done : exitCodes.failed;
}
