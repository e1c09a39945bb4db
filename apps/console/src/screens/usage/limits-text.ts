import { dictionary } from '../../language/dictionary.js';

export const limitsText = dictionary({
  en: {
    calls: 'Calls a day',
    callsHelp: (used: string, limit: string) => `${used} of ${limit} used today`,
    rate: 'Rate limit, calls a second',
    chat: 'Chat today',
    tier: 'Tier',
    conversations: 'Conversations',
    tokens: 'Tokens',
    resets: 'Resets',
    noLimit: 'no limit',
  },
  'zh-CN': {
    calls: '每日调用',
    callsHelp: (used, limit) => `今日已用 ${used} / ${limit}`,
    rate: '每秒调用上限',
    chat: '今日对话',
    tier: '等级',
    conversations: '对话',
    tokens: 'Token',
    resets: '重置时间',
    noLimit: '不限',
  },
});
