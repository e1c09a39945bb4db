import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { acceptedShape, batchShape, envelopeShape, jobShape, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const related = { query: 'blood pressure and salt', answer: 'Less salt lowers the blood pressure.' };
const unrelated = { query: 'blood pressure and salt', answer: 'Payouts arrive weekly.' };

describe('metacognition by rules', () => {
  let lab: LabSystem;
  let user: HttpCaller;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess });
    user = await lab.system.caller();
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  verifies(['TU-111', 'TU-112'], 'tells those who ask whether an answer fits its question, and nobody else', async () => {
    const good = await user.call('lab_answer?metacognition=true', related);
    expect(good.envelope.metadata.metacognition).toEqual({ checked: true, needs_correction: false });
    const bad = await user.call('lab_answer?metacognition=true', unrelated);
    expect(bad.envelope.metadata.metacognition).toEqual({
      checked: true,
      needs_correction: true,
      correction: expect.stringContaining('question'),
    });
    expect(bad.envelope.data).toEqual({ text: unrelated.answer });
    expect((await user.call('lab_answer', unrelated)).envelope.metadata.metacognition).toBeUndefined();
    const failed = await user.call('lab_answer?metacognition=true', {});
    expect(expectRefusal(failed, { status: 400, code: 'INVALID_PARAMS' }).metadata.metacognition).toBeUndefined();
  });

  verifies(['TU-111', 'TU-112'], 'does so at every door that takes options', async () => {
    const options = { metacognition: true, personality: { avoid: ['Payouts'] } };
    const called = await user.post('/tools/call', {
      name: 'lab_answer',
      arguments: { ...related, answer: 'Payouts, salt and blood pressure.' },
      options,
    });
    expect(envelopeShape.parse(called.body).metadata.metacognition).toMatchObject({
      needs_correction: true,
      correction: expect.stringContaining('Payouts'),
    });
    const { results } = (await user.post('/tools/batch', { calls: [{ id: 1, name: 'lab_answer', arguments: unrelated, options }] })).as(
      batchShape,
    );
    expect(results[0]?.envelope.metadata.metacognition).toMatchObject({ needs_correction: true });
    await using stream = await user.stream('/tools/lab_answer/sse?metacognition=true', { method: 'POST', json: unrelated });
    expect((await stream.rest()).at(-1)?.data).toMatchObject({ metadata: { metacognition: { checked: true, needs_correction: true } } });
    const asked = 'lab_answer?metacognition=true';
    const { job_id: jobId } = (await user.post(`/tools/${asked}`, unrelated, { prefer: 'respond-async' })).as(acceptedShape);
    const found = { metadata: { metacognition: { checked: true, needs_correction: true } } };
    expect((await user.get(`/jobs/${jobId}?wait=10`)).as(jobShape).result).toMatchObject(found);
    await using followed = await user.stream(`/jobs/${jobId}/events`);
    expect((await followed.rest()).at(-1)?.data).toMatchObject(found);
    // Lists are looked through, not read.
    expect((await user.get('/jobs?tool=lab_answer')).text).not.toContain('needs_correction');
    expectRefusal(await user.call('lab_answer?metacognition=perhaps', related), {
      status: 400,
      code: 'INVALID_PARAMS',
      paths: ['metacognition'],
    });
    expectRefusal(await user.call('lab_answer?personality=calm', related), { status: 400, code: 'INVALID_PARAMS', paths: ['personality'] });
  });
});

describe('metacognition by a model', () => {
  test(
    'asks the model about what the rules let pass; without the model it says that it did not check',
    async () => {
      const asked: string[] = [];
      const replies = ['OK', 'The answer names no source.'];
      const model = createServer((request, response) => {
        void text(request).then((body) => {
          asked.push(body);
          const content = replies.shift();
          if (content === undefined) return void response.writeHead(500).end('{}');
          const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 0, model: 'm', choices }));
        });
      }).listen(0, '127.0.0.1');
      await once(model, 'listening');
      const address = model.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      try {
        await using lab = await startLabSystem({
          inProcess,
          gatewayEnv: { METACOGNITION_MODEL: 'm', MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`, MODEL_API_KEY: 'k' },
        });
        const user = await lab.system.caller();
        const look = async (input: object) => (await user.call('lab_answer?metacognition=true', input)).envelope.metadata.metacognition;
        expect(await look(related)).toEqual({ checked: true, needs_correction: false });
        expect(await look(related)).toEqual({ checked: true, needs_correction: true, correction: 'The answer names no source.' });
        expect(await look(unrelated)).toMatchObject({ needs_correction: true });
        expect(asked).toHaveLength(2);

        // A job is polled and followed by many; the model is asked once, and only for those who want it.
        replies.push('The answer is too short.');
        const poll = async (id: string) => (await user.get(`/jobs/${id}?wait=10`)).as(jobShape).result?.metadata.metacognition;
        const start = async (query: string) =>
          (await user.post(`/tools/lab_answer${query}`, related, { prefer: 'respond-async' })).as(acceptedShape);
        const { job_id: jobId } = await start('?metacognition=true');
        const first = await poll(jobId);
        expect(first).toMatchObject({ needs_correction: true, correction: 'The answer is too short.' });
        expect(await poll(jobId)).toEqual(first);
        expect(await poll((await start('')).job_id)).toBeUndefined();
        expect(asked).toHaveLength(3);
        expect(await look(related)).toEqual({ checked: false });
      } finally {
        model.closeAllConnections();
        model.close();
      }
    },
    startTimeoutMs,
  );
});
