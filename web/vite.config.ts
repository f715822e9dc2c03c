// One HTML file, with a hash of its sources: tests/rules/web_bundle.sh compares it without Node.
import { execFileSync } from 'node:child_process';
import { defineConfig, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

function sourceHash(): Plugin {
  return {
    name: 'source-hash',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const hash = execFileSync('bash', ['source-hash.sh'], { encoding: 'utf8' }).trim();
        for (const file of Object.values(bundle))
          if (file.type === 'asset' && file.fileName.endsWith('.html'))
            file.source = `${String(file.source).trimEnd()}\n<!-- sources: ${hash} -->\n`;
      },
    },
  };
}

export default defineConfig({
  plugins: [viteSingleFile(), sourceHash()],
  build: { target: 'es2022', outDir: 'dist', chunkSizeWarningLimit: 1500, modulePreload: false },
});
