import { expect, test } from '@jest/globals';
import { placesOf } from './places.js';

test.each([
  ['api_key.insert', 'k1', {}, [{ kind: 'list', to: '/keys' }]],
  ['served_tool.update', 'acme make_quote 1.0.0', { name: 'make_quote' }, [{ kind: 'tool', name: 'make_quote' }]],
  ['served_tool.delete', 'acme make_quote 1.0.0', { name: 'make_quote' }, []],
  [
    'schedule_run.insert',
    's1',
    { job_id: 'inv_1' },
    [
      { kind: 'schedule', id: 's1' },
      { kind: 'call', id: 'inv_1' },
    ],
  ],
  ['webhook_delivery.update', 'w1 d1', { job_id: null }, [{ kind: 'webhook', id: 'w1' }]],
  ['webhook.delete', 'w1', {}, []],
  [
    'input_request.update',
    'r1',
    { job_id: 'inv_2' },
    [
      { kind: 'request', id: 'r1' },
      { kind: 'call', id: 'inv_2' },
    ],
  ],
  ['policy.delete', 'heavy', {}, [{ kind: 'list', to: '/policies' }]],
  ['toolset.update', 'mine', {}, []],
] as const)('%s of %s', (action, subject, facts, places) => expect(placesOf({ action, subject, facts })).toEqual(places));
