import { dictionary } from '../../language/dictionary.js';
import { plural } from '../../language/plural.js';

const enWait = plural('en', { one: '# call waits.', other: '# calls wait.' });
const zhWait = plural('zh-CN', { other: '# 次调用在等待。' });

export const verdictText = dictionary({
  en: {
    title: 'How it stands',
    heads: { bad: 'Calls wait for workers that are not there', warn: 'It works, with trouble', good: 'Everything works' },
    unserved: (domain: string, open: number) => `${domain}: no worker. ${enWait(open)}`,
    unservedSince: (domain: string, since: string, open: number) => `${domain}: no worker since ${since}. ${enWait(open)}`,
    slow: (domain: string, waiting: string, time: string) => `${domain}: ${waiting} waiting, the oldest for ${time}.`,
    errors: plural('en', { one: '# system error', other: '# system errors' }),
    noErrors: 'No system errors',
    inWindow: (window: string) => `in ${window}.`,
    ofCalls: (calls: number, window: string) => `among ${plural('en', { one: '# call', other: '# calls' })(calls)} in ${window}.`,
    served: plural('en', { one: '# domain has workers.', other: '# domains have workers.' }),
    paused: (name: string) => `Paused: ${name}.`,
    holds: (waiting: number | null) => (waiting === null ? 'Calls wait.' : enWait(waiting)),
    refuses: 'Calls are refused.',
  },
  'zh-CN': {
    title: '当前状况',
    heads: { bad: '有调用在等待不存在的 Worker', warn: '运行中，但有问题', good: '一切正常' },
    unserved: (domain, open) => `${domain}：没有 Worker，${zhWait(open)}`,
    unservedSince: (domain, since, open) => `${domain}：自 ${since} 起没有 Worker，${zhWait(open)}`,
    slow: (domain, waiting, time) => `${domain}：${waiting} 次调用在等待，最久 ${time}。`,
    errors: plural('zh-CN', { other: '# 个系统错误' }),
    noErrors: '没有系统错误',
    inWindow: (window) => `（${window}）。`,
    ofCalls: (calls, window) => `（${window}内共 ${plural('zh-CN', { other: '# 次调用' })(calls)}）。`,
    served: plural('zh-CN', { other: '# 个领域有 Worker。' }),
    paused: (name) => `已暂停：${name}。`,
    holds: (waiting) => (waiting === null ? '调用在等待。' : zhWait(waiting)),
    refuses: '调用被拒绝。',
  },
});
