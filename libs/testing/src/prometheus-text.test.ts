import { describe, expect, test } from '@jest/globals';
import { PrometheusText } from './prometheus-text.js';

const gateway = `# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{tool="a",result="success"} 3
calls_total{tool="a",result="failed"} 1
calls_total{tool="b",result="success"} 2.5e1

up 1
queue_seconds_bucket{le="+Inf"} 7
`;
const worker = 'calls_total{tool="a",result="success",text="with \\"quotes\\", commas"} 10\nrss_bytes NaN\n';

describe('metrics in the text format of Prometheus', () => {
  const metrics = new PrometheusText(gateway, worker);

  test.each([
    ['calls_total', {}, 39],
    ['calls_total', { tool: 'a' }, 14],
    ['calls_total', { tool: 'a', result: 'success' }, 13],
    ['calls_total', { tool: 'b' }, 25],
    ['calls_total', { text: 'with \\"quotes\\", commas' }, 10],
    ['queue_seconds_bucket', { le: '+Inf' }, 7],
    ['up', {}, 1],
  ])('%s with %j is the sum over all processes and other labels', (name, labels, sum) => {
    expect(metrics.sum(name, labels)).toBe(sum);
  });

  test.each([
    ['an unknown name', 'calls', {}],
    ['another value of a label', 'calls_total', { tool: 'c' }],
    ['a label that no series has', 'calls_total', { colour: 'red' }],
  ])('%s is 0', (_what, name, labels) => {
    expect(metrics.sum(name, labels)).toBe(0);
  });

  test('a sample that is not a number is read as such', () => expect(metrics.sum('rss_bytes')).toBeNaN());

  test('names are those of the samples, not of comments', () => {
    expect([...metrics.names].toSorted()).toEqual(['calls_total', 'queue_seconds_bucket', 'rss_bytes', 'up']);
  });

  test.each(['9lives 1', 'name', 'name{a="b"}'])('%s is refused', (line) => {
    expect(() => new PrometheusText(line)).toThrow(`not a sample: ${line}`);
  });
});
