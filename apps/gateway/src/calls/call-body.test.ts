import { expect, test } from '@jest/globals';
import { parametersInBody } from './call-body.js';

test.each<[unknown, ReturnType<typeof parametersInBody>]>([
  [undefined, { input: {}, debug: undefined, traceId: null }],
  [{ order: 'a' }, { input: { order: 'a' }, debug: undefined, traceId: null }],
  [
    { order: 'a', debug: true, _trace_id: 'trace_a' },
    { input: { order: 'a' }, debug: true, traceId: 'trace_a' },
  ],
  [{ _trace_id: 'no shape of ours' }, { input: {}, debug: undefined, traceId: null }],
  [[1], { input: [1], debug: undefined, traceId: null }],
  ['text', { input: 'text', debug: undefined, traceId: null }],
  [null, { input: null, debug: undefined, traceId: null }],
])('the parameters in the body %j', (body, read) => {
  expect(parametersInBody(body)).toEqual(read);
});
