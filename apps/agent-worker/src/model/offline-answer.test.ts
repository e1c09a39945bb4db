import { expect, test } from '@jest/globals';
import { describeResults } from './offline-answer.js';

test('a number with a point is not cut into two sentences', () => {
  const content = '睡眠限制把卧床时间压到接近实际睡眠时间，不少于 5.5 小时。每周调整一次。第三句不说。';
  const said = describeResults('失眠怎么办', [{ results: [{ title: '失眠', content, source: 'AASM' }] }]);
  expect(said).toContain('不少于 5.5 小时。每周调整一次。（出处：失眠，AASM）');
});
