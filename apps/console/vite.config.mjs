// The console: static files in dist/console, which the gateway serves at /console. `npm run dev` serves the sources with hot reload.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react-swc';
import { defineConfig } from 'vite';

const gateway = process.env.INVOQ_URL || 'http://127.0.0.1:3000';

/**
 * A style sheet in the head holds back all that a page draws; after the skeleton it holds back what comes after.
 * @type {import('vite').Plugin}
 */
const stylesAfterSkeleton = {
  name: 'styles-after-skeleton',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => {
      const link = /[^\S\n]*<link rel="stylesheet"[^>]*>\n?/.exec(html)?.[0] ?? '';
      return html.replace(link, '').replace('  </body>', `${link}  </body>`);
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), stylesAfterSkeleton],
  // Libraries are imported as their sources.
  resolve: {
    conditions: ['invoq-source', 'module', 'browser', 'development|production'],
    // The libraries would bring their own copy.
    dedupe: ['eventsource-parser', 'zod'],
  },
  cacheDir: fileURLToPath(new URL('../../node_modules/.cache/vite', import.meta.url)),
  build: {
    outDir: fileURLToPath(new URL('../../dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // A file inlined as a data: address would be one that the content policy must allow.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 500,
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '^/(?!console($|[/?](?!session)))': {
        target: gateway,
        configure: (proxy) => {
          // The gateway compares the origin with its own address.
          proxy.on('proxyReq', (request) => {
            if (request.getHeader('origin')) request.setHeader('origin', gateway);
          });
        },
      },
    },
  },
});
