import { formatCount } from '../../language/format.js';
import { dictionary } from '../../language/dictionary.js';
import { plural } from '../../language/plural.js';

const enCalls = plural('en', { one: '# call that waits goes', other: '# calls that wait go' });

export const flowsText = dictionary({
  en: {
    title: 'Flows',
    create: 'New flow',
    createNow: 'Create flow',
    list: 'Flows in force',
    none: 'No flows yet',
    noneHelp:
      'A flow lets so many calls with one key, such as an account, run at a time, or begin in a time. The others wait in the line of their key.',
    name: 'Name',
    what: 'Calls of',
    everyCall: 'every tool',
    tool: 'Tool',
    domain: 'Domain',
    leaveEmpty: 'Empty: of all.',
    domainHelp: 'Such as stripe, or one that your own workers serve. Empty: of all.',
    key: 'Key',
    keyHelp: 'An expression over args, caller and tool. Calls with the same value wait in one line. Empty: one line for all.',
    oneLine: 'one line for all',
    rule: 'Lets through',
    atATime: plural('en', { other: '# at a time' }),
    inTime: (count: number, time: string) => `${plural('en', { other: '#' })(count)} in ${time}`,
    concurrency: 'At most at a time',
    concurrencyHelp: 'This or a rate is needed.',
    most: 'At most begin',
    seconds: 'in so many seconds',
    waiting: 'Waiting',
    since: 'Since',
    by: { operator: 'of the operator', tenant: '', contract: 'of the tool’s contract' },
    problem: 'Its key cannot be worked out',
    saved: (name: string) => `The flow ${name} is in force.`,
    delete: (name: string) => `Delete flow ${name}`,
    deleteHelp: (waiting: number | null) =>
      waiting === null
        ? 'Calls that wait in its lines go on.'
        : waiting === 0
          ? 'No call waits in its lines.'
          : `${enCalls(waiting)} on at once.`,
    deleted: (name: string) => `The flow ${name} is deleted.`,
    lines: 'Lines in which calls wait',
    line: 'Line',
    flow: 'Flow',
    running: 'Running',
    next: 'Next',
    nextSince: 'Waits since',
    openNext: (of: string) => `Open the next call of ${of}`,
    noLines: 'No call waits for another one.',
    moreLines: (shown: number, all: number) => `The longest ${formatCount(shown, 'en')} of ${formatCount(all, 'en')} lines.`,
    unknownLine: 'not told',
  },
  'zh-CN': {
    title: '流控',
    create: '新建流控',
    createNow: '创建流控',
    list: '生效中的流控',
    none: '还没有流控',
    noneHelp: '流控限制同一个键（例如一个账号）的调用同时执行几次，或在一段时间内开始几次；其余的在该键自己的队列中等待。',
    name: '名称',
    what: '适用于',
    everyCall: '所有工具',
    tool: '工具',
    domain: '领域',
    leaveEmpty: '留空表示全部。',
    domainHelp: '例如 stripe，或自有 Worker 提供的领域。留空表示全部。',
    key: '键',
    keyHelp: '基于 args、caller 和 tool 的表达式。值相同的调用排在同一队列。留空表示全部调用同一队列。',
    oneLine: '全部同一队列',
    rule: '放行',
    atATime: plural('zh-CN', { other: '同时 # 次' }),
    inTime: (count, time) => `每 ${time} ${count} 次`,
    concurrency: '同时最多',
    concurrencyHelp: '此项与速率至少填一项。',
    most: '最多开始',
    seconds: '每多少秒',
    waiting: '等待中',
    since: '更新于',
    by: { operator: '由运营方设置', tenant: '', contract: '来自工具的契约' },
    problem: '键无法计算',
    saved: (name) => `流控 ${name} 已生效。`,
    delete: (name) => `删除流控 ${name}`,
    deleteHelp: (waiting) =>
      waiting === null
        ? '队列中等待的调用会继续。'
        : waiting === 0
          ? '队列中没有等待的调用。'
          : `队列中等待的 ${waiting} 次调用会立即继续。`,
    deleted: (name) => `流控 ${name} 已删除。`,
    lines: '有调用等待的队列',
    line: '队列',
    flow: '流控',
    running: '执行中',
    next: '下一个',
    nextSince: '等待自',
    openNext: (of) => `打开 ${of} 的下一次调用`,
    noLines: '没有调用在等待其他调用。',
    moreLines: (shown, all) => `最长的 ${formatCount(shown, 'zh-CN')} 个队列，共 ${formatCount(all, 'zh-CN')} 个。`,
    unknownLine: '未知',
  },
});
