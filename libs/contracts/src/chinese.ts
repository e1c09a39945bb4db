// Messages for people who read Chinese. What is not here stays English, and so do codes, fields and names.

type Translated = readonly [RegExp, string];

/** Names of things, within other messages. */
const things: Readonly<Record<string, string>> = {
  policy: '策略',
  budget: '预算',
  set: '工具集',
  flow: '流控',
  pause: '暂停',
  provider: '账户提供方',
  server: '外部服务器',
  job: '任务',
  batch: '批次',
  connection: '账户连接',
  conversation: '对话',
  delivery: '投递记录',
  file: '文件',
  'input request': '待处理请求',
  key: '密钥',
  schedule: '定时调用',
  webhook: 'webhook',
  trace: '追踪记录',
  address: '地址',
  link: '链接',
};
const types: Readonly<Record<string, string>> = {
  string: '字符串',
  integer: '整数',
  number: '数字',
  boolean: '布尔值',
  array: '数组',
  object: '对象',
  null: 'null',
};

/** `$1` is what the first group found, `$1t` and `$1d` the type or the thing of that name. */
const messages: readonly Translated[] = [
  [/^Missing required parameter: ([^;]+)$/, '缺少必填参数：$1'],
  [/^Unexpected parameter: ([^;]+)$/, '多余的参数：$1'],
  [/^Parameter '([^';]+)' must be (\w+), not (\w+)$/, '参数 “$1” 必须是$2t，而不是$3t'],
  [/^Parameter '([^';]+)' must be one of \[([^;]*)\]$/, '参数 “$1” 必须是以下之一：[$2]'],
  [/^Parameter '([^';]+)' must be at least (\S+)$/, '参数 “$1” 不能小于 $2'],
  [/^Parameter '([^';]+)' must be at most (\S+)$/, '参数 “$1” 不能大于 $2'],
  [/^Parameter '([^';]+)' must be more than (\S+)$/, '参数 “$1” 必须大于 $2'],
  [/^Parameter '([^';]+)' must be less than (\S+)$/, '参数 “$1” 必须小于 $2'],
  [/^Parameter '([^';]+)' must have at least (\d+) characters?$/, '参数 “$1” 至少要有 $2 个字符'],
  [/^Parameter '([^';]+)' must have at most (\d+) characters?$/, '参数 “$1” 最多 $2 个字符'],
  [/^Parameter '([^';]+)' must have at least (\d+) items?$/, '参数 “$1” 至少要有 $2 项'],
  [/^Parameter '([^';]+)' must have at most (\d+) items?$/, '参数 “$1” 最多 $2 项'],
  [/^The parameters must be a JSON object, not (\w+)$/, '参数必须是一个 JSON 对象，而不是$1t'],
  [/^(\d+) more faults$/, '另有 $1 处错误'],
  [/^Validation error: Parameter '([^';]+)' is not valid(.*)$/, '参数 “$1” 无效$2'],

  [/^A credential is missing.*$/, '缺少凭证：请发送 Authorization: Bearer <API 密钥或 JWT>'],
  [/^The API key is not valid$/, 'API 密钥无效'],
  [/^The API key has been revoked$/, 'API 密钥已被吊销'],
  [/^The API key has expired$/, 'API 密钥已过期'],
  [/^The token is not valid$/, '令牌无效'],
  [/^The token has expired$/, '令牌已过期'],
  [/^The session of the console has ended.*$/, '控制台会话已结束，请重新登录'],
  [/^This needs a credential with the scope (\S+)(.*)$/, '需要具有权限范围 $1 的凭证$2'],
  [/^Too many failed authentications from this address$/, '此地址的认证失败次数过多'],

  [/^There is no such ([a-z ]+?)(?: of yours| any more)?(?:[;,] .*)?$/, '没有这个$1d'],
  [/^There is no ([a-z ]+) '(.*)'(?: of yours)?; see (GET \S+)$/, '没有名为 “$2” 的$1d；参见 $3'],
  [/^There is nothing at this path; see GET \/tools$/, '此路径下没有内容；参见 GET /tools'],
  [/^Tool '(.+)' is deprecated; use '(.+)'$/, '工具 “$1” 已弃用；请改用 “$2”'],
  [/^Tool '(.+)' is deprecated$/, '工具 “$1” 已弃用'],
  [/^No worker serves '(.+)' (\S+) at the moment$/, '目前没有 worker 提供 “$1” $2'],

  [/^More than (\d+) calls a second with this credential$/, '此凭证每秒的调用超过 $1 次'],
  [/^The plan allows (\d+) tool calls a day and they are used up$/, '套餐每天允许 $1 次工具调用，已经用完'],
  [/^The body must have at most (\d+) bytes$/, '请求体最多 $1 字节'],
  [/^The body is empty; send a JSON object, \{\} for no parameters$/, '请求体为空；请发送 JSON 对象，没有参数时为 {}'],
  [/^This Idempotency-Key was used with other parameters$/, '此 Idempotency-Key 已用于其他参数'],
  [/^The job has already ended: (\w+)$/, '任务已经结束：$1'],
  [/^The input request is decided already: (.*)$/, '该请求已有决定：$1'],
  [/^Nobody decided in time; make the call again$/, '无人及时决定；请重新调用'],
  [/^The schedule was changed meanwhile; read it again$/, '定时调用已被修改；请重新读取'],
  [/^The conversation is still being answered: wait for it, or stop it first$/, '该对话仍在回答中：请等待，或先停止'],
  [/^(.+) cannot be reached at the moment$/, '暂时无法访问：$1'],
];

/** A message in Chinese: the whole, or each of its parts between semicolons; as it is where nobody has translated it. */
export function inChinese(message: string): string {
  const whole = translated(message);
  if (whole !== null || !message.includes('; ')) return whole ?? message;
  const parts = message.split('; ').map(translated);
  return parts.every((part) => part !== null) ? parts.join('；') : message;
}

/** Longer ones hold what a caller or a server wrote. */
const mostCharacters = 2_000;

function translated(message: string): string | null {
  if (message.length > mostCharacters) return null;
  for (const [english, chinese] of messages) {
    const found = english.exec(message);
    if (!found) continue;
    const thing = [...chinese.matchAll(/\$(\d)d/g)].every(([, group]) => Object.hasOwn(things, found[Number(group)] ?? ''));
    if (!thing) continue;
    return chinese.replaceAll(/\$(\d)([td]?)/g, (_, group: string, kind: string) => {
      const text = found[Number(group)] ?? '';
      if (kind === '') return text;
      const names = kind === 't' ? types : things;
      return Object.hasOwn(names, text) ? (names[text] ?? text) : text;
    });
  }
  return null;
}
