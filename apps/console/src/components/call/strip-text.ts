import { dictionary } from '../../language/dictionary.js';

export const stripText = dictionary({
  en: {
    title: 'Where the time went',
    kinds: { queue: 'Waiting for a worker', attempt: 'Running', delay: 'Between retries', rest: 'At rest' },
    attempt: (number: number) => `Attempt ${number}`,
    inAttempts: (count: number) => `in ${count} attempts`,
    whole: 'Whole',
  },
  'zh-CN': {
    title: '时间去向',
    kinds: { queue: '等待 Worker', attempt: '执行', delay: '重试间隔', rest: '暂停' },
    attempt: (number) => `第 ${number} 次尝试`,
    inAttempts: (count) => `共 ${count} 次尝试`,
    whole: '总计',
  },
});
