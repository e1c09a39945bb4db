// Asks the built search what readers ask, with the code and the dictionary that browsers have.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

/** Question → the end of the address of the page that answers it. */
const questions: Readonly<Record<'en' | 'zh-cn', Readonly<Record<string, string>>>> = {
  en: {
    'first call': 'tutorials/first-call',
    'idempotency key': 'how-to/retries-and-idempotency',
    useChat: 'how-to/use-chat',
    'Claude Desktop': 'how-to/mcp-clients',
    EventSource: 'how-to/streams-in-a-browser',
    'import pdf': 'how-to/import-documents',
    'write a skill': 'how-to/write-a-skill',
    'revoke key': 'how-to/keys-and-tenants',
    'docker compose': 'how-to/deploy',
    grafana: 'how-to/observe',
    'restore backup': 'how-to/back-up',
    'zero downtime upgrade': 'how-to/upgrade',
    'tool version': 'how-to/new-version-of-a-tool',
    'more workers': 'how-to/scale',
    RATE_LIMITED: 'reference/errors',
    REDIS_URL: 'reference/settings',
    estimatedTokens: 'reference/tool-fields',
    'weather tool': 'reference/tools/get_weather',
    'fair queueing': 'explanation/fairness',
    'encrypted secret': 'explanation/sealing',
    'Temporal comparison': 'explanation/comparisons',
  },
  'zh-cn': {
    第一次调用: 'zh/tutorials/first-call',
    智能体: 'zh/tutorials/agent-with-tools',
    自己的工具: 'zh/tutorials/your-own-tool',
    记忆: 'zh/tutorials/memory-for-an-agent',
    暂存: 'zh/tutorials/memory-for-an-agent',
    引用: 'zh/tutorials/knowledge-that-cites',
    出处: 'zh/tutorials/knowledge-that-cites',
    星盘: 'zh/reference/tools/show_zodiac_chart',
    八字: 'zh/reference/tools/show_bazi_chart',
    天气: 'zh/reference/tools/get_weather',
    报告: 'zh/reference/tools/generate_report',
    健康档案: 'zh/reference/tools/user_profile_lookup',
    基础代谢: 'zh/reference/tools/calc_metrics',
    技能: 'zh/reference/tools/use_skill',
    置信度: 'zh/tutorials/knowledge-that-cites',
    幂等键: 'zh/reference/terms',
    租户: 'zh/reference/terms',
    流式输出: 'zh/reference/terms',
    合并冲突: 'zh/reference/terms',
    备份: 'zh/reference/terms',
  },
};
const places = 3;
const mostMissed = 1;

const searchShape = z.object({
  options: z.custom<(options: object) => Promise<void>>((value) => typeof value === 'function'),
  search: z.custom<(words: string) => Promise<unknown>>((value) => typeof value === 'function'),
});
const foundShape = z.object({
  results: z.array(z.object({ data: z.custom<() => Promise<unknown>>((value) => typeof value === 'function') })),
});
const pageShape = z.object({ url: z.string() });

/** @throws Error naming the questions whose page is not among the first three, if there are more than `mostMissed` in a language */
export async function checkSearch(built: string): Promise<void> {
  // What the code for browsers needs of one: files below /docs, the address of its page, and its language.
  Object.assign(globalThis, {
    fetch: async (address: string) => new Response(await readFile(join(built, address.replace(/^\/docs\//, '').replace(/\?.*$/, '')))),
    window: { location: { origin: 'http://127.0.0.1', href: 'http://127.0.0.1/docs/' } },
  });
  for (const [language, expected] of Object.entries(questions)) {
    Object.assign(globalThis, { document: { querySelector: () => ({ getAttribute: () => language }), currentScript: null } });
    // Each language is an instance of its own.
    const search = searchShape.parse(await import(`${pathToFileURL(join(built, 'pagefind/pagefind.js')).href}?${language}`));
    await search.options({ basePath: '/docs/pagefind/', baseUrl: '/docs/', noWorker: true });
    const missed: string[] = [];
    for (const [words, page] of Object.entries(expected)) {
      const { results } = foundShape.parse(await search.search(words));
      const first = await Promise.all(results.slice(0, places).map(async ({ data }) => pageShape.parse(await data()).url));
      if (!first.some((url) => url.endsWith(`/${page}/`))) missed.push(`${words}: ${first.join(' ') || 'nothing'}`);
    }
    const count = Object.keys(expected).length;
    if (missed.length > mostMissed) throw new Error(`the search (${language}) misses\n${missed.join('\n')}`);
    process.stderr.write(`search, ${language}: ${count - missed.length} of ${count}${missed.map((one) => `\n  missed ${one}`).join('')}\n`);
  }
}
