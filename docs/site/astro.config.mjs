import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';

const dist = new URL('../../dist/', import.meta.url);
/** Slugs of all pages, in the order of the lists. */
const pages = JSON.parse(readFileSync(new URL('docs-pages/pages.json', dist), 'utf8'));
const decisions = 'explanation/decisions';
const toolPages = 'reference/tools';

const section = ({ en, zh, within, except = [], collapsed = false, more = [] }) => ({
  label: en,
  translations: { 'zh-CN': zh },
  collapsed,
  items: [...pages.filter((slug) => slug.startsWith(`${within}/`) && !except.some((other) => slug.startsWith(other))), ...more],
});

export default defineConfig({
  // For the addresses of other languages in a page's head, which are whole ones.
  site: 'http://127.0.0.1:3000',
  base: '/docs',
  trailingSlash: 'always',
  srcDir: '.',
  publicDir: fileURLToPath(new URL('docs-pages/public', dist)),
  outDir: fileURLToPath(new URL('docs', dist)),
  cacheDir: './node_modules/.astro',
  build: { inlineStylesheets: 'never' },
  vite: { build: { assetsInlineLimit: 0 } },
  integrations: [
    starlight({
      title: 'Invoq',
      description: 'The tool backend of AI agents',
      favicon: '/favicon.svg',
      locales: { root: { label: 'English', lang: 'en' }, zh: { label: '简体中文', lang: 'zh-CN' } },
      customCss: ['./style.css'],
      lastUpdated: false,
      credits: false,
      expressiveCode: { themes: ['github-dark-high-contrast', 'github-light-high-contrast'], minSyntaxHighlightingColorContrast: 5.5 },
      sidebar: [
        section({ en: 'Tutorials', zh: '教程', within: 'tutorials' }),
        section({ en: 'How-to', zh: '操作指南', within: 'how-to' }),
        section({
          en: 'Reference',
          zh: '参考',
          within: 'reference',
          except: [toolPages],
          more: [toolPages, section({ en: 'Tools', zh: '工具', within: toolPages, collapsed: true })],
        }),
        section({
          en: 'Explanation',
          zh: '原理',
          within: 'explanation',
          except: [decisions],
          more: [section({ en: 'Decisions', zh: '设计决定', within: decisions, collapsed: true })],
        }),
      ],
    }),
  ],
});
