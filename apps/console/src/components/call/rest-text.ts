import { dictionary } from '../../language/dictionary.js';

export const restText = dictionary({
  en: {
    reasons: {
      approval: 'waits for an approval',
      question: 'waits for an answer',
      connection: 'waits for an account',
      event: 'waits for something from outside',
      sleep: 'sleeps',
      scheduled: 'waits for its time',
      paused: 'is paused',
      flow: 'waits for other calls',
    },
    pausedBy: (name: string, reason: string) => `paused by ${name}: ${reason}`,
    inLine: (text: string, place: number, name: string) => (text === '' ? `is number ${place} in the line of ${name}` : text),
    place: (place: number, name: string) => `Number ${place} in its line of the flow ${name}`,
    until: (time: string) => `until ${time} at the latest`,
    openFlows: 'Flows',
    openPauses: 'Pauses',
    openRequests: 'Input requests',
  },
  'zh-CN': {
    reasons: {
      approval: '等待审批',
      question: '等待回答',
      connection: '等待连接账号',
      event: '等待外部事件',
      sleep: '休眠中',
      scheduled: '等待执行时间',
      paused: '已暂停',
      flow: '等待其他调用',
    },
    pausedBy: (name, reason) => `被 ${name} 暂停：${reason}`,
    // What the gateway says of a line is English.
    inLine: (_, place, name) => `在流控 ${name} 的队列中排第 ${place} 位`,
    place: (place, name) => `流控 ${name} 的队列，第 ${place} 位`,
    until: (time) => `最迟至 ${time}`,
    openFlows: '流控',
    openPauses: '暂停',
    openRequests: '待处理请求',
  },
});
