// The words of a tool's page. What the contracts say is English; tools of the source documents that are written in Chinese have a Chinese page too.
import { chineseTools } from './chinese-tools.js';

export interface ToolWords {
  /** Of the slug. */
  readonly prefix: '' | 'zh/';
  readonly titles: Readonly<Record<string, string>>;
  readonly descriptions: Readonly<Record<string, string>>;
  /** The meaning of a parameter, where it is translated. */
  readonly parameterOf: (tool: string, path: string) => string | undefined;
  readonly tryIt: string;
  readonly parameters: string;
  readonly result: string;
  readonly errors: string;
  readonly retries: string;
  readonly examples: string;
  readonly data: string;
  readonly versions: string;
  readonly name: string;
  readonly type: string;
  readonly required: string;
  readonly meaning: string;
  readonly none: string;
  readonly error: string;
  readonly family: string;
  readonly retryable: string;
  readonly whatToDo: string;
  readonly commonErrors: string;
  readonly allCodes: string;
  readonly noRetries: string;
  readonly failure: string;
  readonly times: string;
  readonly firstDelay: string;
  readonly factor: string;
  readonly longest: string;
  readonly yes: string;
  readonly no: string;
  readonly property: string;
  readonly value: string;
  readonly facts: Readonly<
    Record<
      | 'attempts'
      | 'wait'
      | 'version'
      | 'domain'
      | 'aliases'
      | 'effect'
      | 'reads'
      | 'writes'
      | 'scopes'
      | 'repeatable'
      | 'cache'
      | 'time'
      | 'streams'
      | 'native',
      string
    >
  >;
}

export const english: ToolWords = {
  prefix: '',
  titles: {},
  descriptions: {},
  parameterOf: () => undefined,
  tryIt: 'Try it in the console',
  parameters: 'Parameters',
  result: 'Result',
  errors: 'Errors',
  retries: 'Retries',
  examples: 'Call it',
  data: 'The data of the answer',
  versions: 'Versions',
  name: 'name',
  type: 'type',
  required: 'required',
  meaning: 'meaning',
  none: 'None.',
  error: 'error',
  family: 'code',
  retryable: 'may work later',
  whatToDo: 'what to do',
  commonErrors: 'Every tool may also answer with the codes that all share:',
  allCodes: 'all error codes',
  noRetries: 'A failed attempt of this tool is not tried again.',
  failure: 'failure',
  times: 'retries',
  firstDelay: 'first delay',
  factor: 'grows',
  longest: 'longest delay',
  yes: 'yes',
  no: 'no',
  property: 'property',
  value: 'value',
  facts: {
    version: 'Version',
    domain: 'Domain',
    aliases: 'Also named',
    effect: 'Effect',
    reads: 'reads',
    writes: 'changes something',
    scopes: 'Scopes',
    repeatable: 'A second call has no second effect',
    cache: 'Cached',
    time: 'Time limit of an attempt',
    attempts: 'Attempts at most',
    wait: 'Longest wait of a caller',
    streams: 'Streams while it works',
    native: 'In the shape of its source document',
  },
};

export const chinese: ToolWords = {
  prefix: 'zh/',
  titles: Object.fromEntries(Object.entries(chineseTools).map(([name, { title }]) => [name, title])),
  descriptions: Object.fromEntries(Object.entries(chineseTools).map(([name, { description }]) => [name, description])),
  parameterOf: (tool, path) => chineseTools[tool]?.parameters[path],
  tryIt: '在控制台中试用',
  parameters: '参数',
  result: '结果',
  errors: '错误',
  retries: '重试',
  examples: '调用示例',
  data: '返回的数据',
  versions: '版本',
  name: '名称',
  type: '类型',
  required: '必填',
  meaning: '含义',
  none: '无。',
  error: '错误',
  family: '错误码',
  retryable: '稍后可能成功',
  whatToDo: '如何处理',
  commonErrors: '所有工具还可能返回通用错误码，参见',
  allCodes: '错误码一览',
  noRetries: '该工具失败后不会自动重试。',
  failure: '失败种类',
  times: '重试次数',
  firstDelay: '首次等待',
  factor: '增长',
  longest: '最长等待',
  yes: '是',
  no: '否',
  property: '属性',
  value: '值',
  facts: {
    version: '版本',
    domain: '所属域',
    aliases: '别名',
    effect: '作用',
    reads: '只读',
    writes: '会修改数据',
    scopes: '权限范围',
    repeatable: '重复调用没有第二次效果',
    cache: '缓存',
    time: '单次尝试的时限',
    attempts: '最多尝试次数',
    wait: '调用方最长等待',
    streams: '执行中推送进度',
    native: '源文档格式的接口',
  },
};
