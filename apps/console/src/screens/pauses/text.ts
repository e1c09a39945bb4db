import { dictionary } from '../../language/dictionary.js';
import { plural } from '../../language/plural.js';

const enGoOn = plural('en', { one: '# call that waits goes', other: '# calls that wait go' });

export const pausesText = dictionary({
  en: {
    title: 'Pauses',
    create: 'New pause',
    list: 'Pauses in force',
    none: 'Nothing is paused',
    noneHelp: 'A pause has calls of a tool, a domain or a tenant wait, or refuses them, until somebody ends it.',
    name: 'Name',
    what: 'What is paused',
    tool: 'Tool',
    domain: 'Domain',
    tenant: 'Tenant',
    domainHelp: 'Such as stripe, or one that your own workers serve.',
    tenantHelp: 'Only calls of this tenant. Empty: of all tenants.',
    effect: 'Calls',
    held: 'wait',
    refused: 'are refused',
    waiting: 'Waiting',
    reason: 'Reason',
    reasonHelp: 'Who wonders why a call waits reads it.',
    since: 'Since',
    byOperator: 'of the operator',
    refuse: 'Refuse new calls, in the place of letting them wait',
    willHold: 'New calls wait, and hold no worker. Attempts that run now go on; their retries wait too.',
    willRefuse: 'New calls end at once in 503 with the code PAUSED. Calls that wait already wait on.',
    pauseNow: (what: string) => (what === '' ? 'Pause' : `Pause ${what}`),
    saved: (name: string) => `The pause ${name} is in force.`,
    end: (name: string) => `End pause ${name}`,
    goOn: (waiting: number | null) =>
      waiting === null
        ? 'New calls run again at once, and those that wait go on.'
        : `New calls run again at once. ${enGoOn(waiting)} on, in the order of the queue.`,
    ended: (name: string) => `The pause ${name} has ended.`,
  },
  'zh-CN': {
    title: '暂停',
    create: '新建暂停',
    list: '生效中的暂停',
    none: '没有暂停',
    noneHelp: '暂停让某个工具、领域或租户的调用等待或被拒绝，直到有人结束它。',
    name: '名称',
    what: '暂停对象',
    tool: '工具',
    domain: '领域',
    tenant: '租户',
    domainHelp: '例如 stripe，或自有 Worker 提供的领域。',
    tenantHelp: '仅限该租户的调用。留空表示所有租户。',
    effect: '调用',
    held: '等待',
    refused: '被拒绝',
    waiting: '等待中',
    reason: '原因',
    reasonHelp: '想知道调用为何等待的人会看到它。',
    since: '开始于',
    byOperator: '由运营方设置',
    refuse: '直接拒绝新调用，而不是让其等待',
    willHold: '新调用会等待，但不占用 Worker。正在执行的尝试会继续，其重试也会等待。',
    willRefuse: '新调用会立即以 503 和 PAUSED 结束。已在等待的调用继续等待。',
    pauseNow: (what) => (what === '' ? '暂停' : `暂停 ${what}`),
    saved: (name) => `暂停 ${name} 已生效。`,
    end: (name) => `结束暂停 ${name}`,
    goOn: (waiting) =>
      waiting === null
        ? '新调用立即恢复执行，等待中的调用继续。'
        : `新调用立即恢复执行，${plural('zh-CN', { other: '等待中的 # 次调用' })(waiting)}按队列顺序继续。`,
    ended: (name) => `暂停 ${name} 已结束。`,
  },
});
