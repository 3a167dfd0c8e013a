import { readFileSync } from 'node:fs'
import { defineConfig, type Plugin } from 'vite'

/** Writes the service worker with the list of everything that the page is made of, so that it works without a network. */
function offline(): Plugin {
  return {
    name: 'offline',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = ['./', './icon.svg', './manifest.webmanifest', ...Object.keys(bundle).filter((file) => file !== 'index.html').map((file) => `./${file}`)].sort()
        const source = readFileSync('src/sw.js', 'utf8').replace('/* FILES */', files.map((file) => JSON.stringify(file)).join(', '))
        this.emitFile({ type: 'asset', fileName: 'sw.js', source })
      },
    },
  }
}

const names = { entryFileNames: 'assets/[name].js', chunkFileNames: 'assets/[name].js', assetFileNames: 'assets/[name][extname]' }

// One page, no content from other hosts, and paths that are relative: the page works below any address.
export default defineConfig({
  base: './',
  plugins: [offline()],
  build: {
    outDir: process.env.STUDIO_OUT ?? 'dist', emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 2000,
    modulePreload: { polyfill: false }, rollupOptions: { output: names },
  },
  worker: { format: 'es', rollupOptions: { output: names } },
  server: { fs: { allow: ['..'] } },
})
