import { dictionary } from '../../language/dictionary.js';

export const verdictText = dictionary({
  en: {
    title: 'How it stands',
    heads: { bad: 'Calls wait for workers that are not there', warn: 'It works, with trouble', good: 'Everything works' },
    unserved: (domain: string, open: string, isOne: boolean) =>
      `${domain}: no worker. ${isOne ? `${open} call waits` : `${open} calls wait`}.`,
    unservedSince: (domain: string, since: string, [open, isOne]: readonly [string, boolean]) =>
      `${domain}: no worker since ${since}. ${isOne ? `${open} call waits` : `${open} calls wait`}.`,
    slow: (domain: string, waiting: string, time: string) => `${domain}: ${waiting} waiting, the oldest for ${time}.`,
    errors: (count: string, isOne: boolean) => (isOne ? `${count} system error` : `${count} system errors`),
    noErrors: 'No system errors',
    inWindow: (window: string) => `in ${window}.`,
    ofCalls: (calls: string, window: string) => `among ${calls} calls in ${window}.`,
    served: (count: number) => (count === 1 ? '1 domain has workers.' : `${count} domains have workers.`),
    paused: (name: string) => `Paused: ${name}.`,
    holds: (waiting: number | null) => (waiting === null ? 'Calls wait.' : waiting === 1 ? '1 call waits.' : `${waiting} calls wait.`),
    refuses: 'Calls are refused.',
  },
  'zh-CN': {
    title: '当前状况',
    heads: { bad: '有调用在等待不存在的 Worker', warn: '运行中，但有问题', good: '一切正常' },
    unserved: (domain, open) => `${domain}：没有 Worker，${open} 次调用在等待。`,
    unservedSince: (domain, since, [open]) => `${domain}：自 ${since} 起没有 Worker，${open} 次调用在等待。`,
    slow: (domain, waiting, time) => `${domain}：${waiting} 次调用在等待，最久 ${time}。`,
    errors: (count) => `${count} 个系统错误`,
    noErrors: '没有系统错误',
    inWindow: (window) => `（${window}）。`,
    ofCalls: (calls, window) => `（${window}内共 ${calls} 次调用）。`,
    served: (count) => `${count} 个领域有 Worker。`,
    paused: (name) => `已暂停：${name}。`,
    holds: (waiting) => (waiting === null ? '调用在等待。' : `${waiting} 次调用在等待。`),
    refuses: '调用被拒绝。',
  },
});
