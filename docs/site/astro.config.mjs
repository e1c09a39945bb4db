import { fileURLToPath } from 'node:url';
import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';

const dist = new URL('../../dist/', import.meta.url);
const section = (names, directory, collapsed = false) => ({
  label: names.en,
  translations: { 'zh-CN': names.zh },
  collapsed,
  items: [{ autogenerate: { directory } }],
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
        section({ en: 'Tutorials', zh: '教程' }, 'tutorials'),
        section({ en: 'How-to', zh: '操作指南' }, 'how-to'),
        {
          label: 'Reference',
          translations: { 'zh-CN': '参考' },
          items: [
            ...[
              'http-api',
              'events',
              'errors',
              'authentication',
              'settings',
              'metrics',
              'alerts',
              'command-line',
              'typescript-client',
              'python-client',
              'worker-library',
              'worker-protocol',
              'glossary',
              'changelog',
            ].map((name) => `reference/${name}`),
            section({ en: 'Tools', zh: '工具' }, 'reference/tools', true),
          ],
        },
        section({ en: 'Explanation', zh: '原理' }, 'explanation', true),
      ],
    }),
  ],
});
