// The programs of the tests: words of `warptime run`, of every lesson, every example and every workload at the sizes
// with which the page begins.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOf } from '../make_site.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Variants that together reach each kind of instruction, where a workload has many. */
const variants = {
  attention: 'mma', copy: 'float4', cp: 'one', fem: 'random', 'fmm-ulist': 'shmem', h264: '', histogram: '', lbm: '', lookup: '', mandelbrot: '', matmul: 'tiled', matvec: '', micro: 'shared', 'mri-fhd': '',
  'mri-q': '', nbody: '', pns: '', rc5: '', reduce: '', rpes: '', saxpy: '', smooth: '', spmv: '', tpacf: '', transpose: '', walk: '',
};

export function programs() {
  const files = filesOf(['docs/course/programs', 'docs/examples'], ['.yaml']);
  const launches = Object.keys(files).filter((path) => /^module:/m.test(files[path]) && /^launches:/m.test(files[path]) && !path.includes('/ci/') && !path.includes('measured'));
  const starts = JSON.parse(readFileSync(join(root, 'playground/starts.json'), 'utf8'));
  return [
    ...launches.map((path) => [path]),
    ...Object.entries(starts).map(([name, { machine, params }]) => {
      const variant = variants[name] ?? '';
      return [variant === '' ? name : `${name}:${variant}`, ...(machine ? ['--machine', machine] : []), ...Object.entries(params).flatMap(([key, value]) => ['--param', `${key}=${value}`])];
    }),
  ];
}

/** Statistics without the times and the memory of the host, which end them. */
export function withoutHost(text) {
  const at = text.lastIndexOf('"host"');
  if (at < 0) throw new Error('statistics without "host"');
  return text.slice(0, at);
}

/** Where two texts part, for a message. */
export function difference(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) ++at;
  const part = (text) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
  return `at byte ${at}: ${part(a)} and ${part(b)}`;
}

export function counter() {
  const counts = { passed: 0, failed: 0 };
  return {
    counts,
    check(what, ok, seen = '') {
      if (ok) return void ++counts.passed;
      ++counts.failed;
      console.log(`failed: ${what}${seen === '' ? '' : `: ${seen}`}`);
    },
    end() {
      console.log(`${counts.passed} passed, ${counts.failed} failed`);
      process.exitCode = counts.failed === 0 ? 0 : 1;
    },
  };
}
