// What `warptime check --json` found, by places.
import { join, resolve } from 'node:path';
import { findSource } from './costs-of-lines';

interface Place {
  file?: string;
  line?: number;
  source_file?: string;
  source_line?: number;
  block?: number[] | null;
  thread?: number[] | null;
}
interface FindingJson extends Place {
  tool: string;
  kind: string;
  severity: string;
  kernel: string;
  message: string;
  hint?: string;
  remedy?: string | null;
  count: number;
  variable?: string | null;
  other?: Place | null;
}
export interface Report {
  findings: FindingJson[];
}

export interface Finding {
  file: string;
  line: number; // from 1
  severity: 'error' | 'warning' | 'note';
  code: string;
  text: string;
  related?: { file: string; line: number; text: string };
}

/// The line of the CUDA source, if there is one; nullopt: about no line.
function placeOf(place: Place, ptx: string | undefined, cwd: string) {
  if (place.source_file && place.source_line) return { file: findSource(place.source_file, ptx ?? join(cwd, 'x'), cwd), line: place.source_line };
  if (ptx !== undefined && place.line) return { file: ptx, line: place.line };
  return undefined;
}

const threadText = (place: Place) =>
  place.block && place.thread ? `block (${place.block.join()}), thread (${place.thread.join()})` : '';

/// Findings about no line are in `others`, as sentences.
export function findingsOf(report: Report, cwd: string): { findings: Finding[]; others: string[] } {
  const findings: Finding[] = [];
  const others: string[] = [];
  for (const each of report.findings) {
    const ptx = each.file ? resolve(cwd, each.file) : undefined;
    const place = placeOf(each, ptx, cwd);
    const parts = [`${each.message}`, [`kernel ${each.kernel}`, threadText(each), each.count > 1 ? `${each.count} times` : ''].filter((part) => part !== '').join(', ')];
    if (each.remedy) parts.push(`remedy: ${each.remedy}`);
    else if (each.hint) parts.push(each.hint);
    const severity = each.severity === 'warning' || each.severity === 'note' ? each.severity : 'error';
    if (place === undefined) {
      others.push(parts.join('; '));
      continue;
    }
    const other = each.other ? placeOf(each.other, ptx, cwd) : undefined;
    findings.push({
      ...place, severity, code: each.kind, text: parts.join('\n'),
      ...(other && { related: { ...other, text: `the other access: ${threadText(each.other!)}` } }),
    });
  }
  return { findings, others };
}
