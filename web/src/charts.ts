// Line charts with uPlot, in the colours of the theme.
import uPlot from 'uplot';
import { themed } from './dom';

export interface Chart {
  title: string;
  x: string;
  y: string;
  /// Points by series; the x values are those of all.
  data: uPlot.AlignedData;
  series: { label: string; colour: string; points?: boolean; step?: boolean; dash?: number[] }[];
  logarithmic?: boolean;
  yRange?: [number, number];
  /// For who cannot see it.
  summary: string;
}

const kHeight = 220;

function axis(label: string): uPlot.Axis {
  return {
    label,
    labelSize: 22,
    stroke: themed('--text'),
    grid: { stroke: themed('--grid'), width: 1 },
    ticks: { stroke: themed('--grid'), width: 1 },
  };
}

/// Draws into the element in place of what is there.
export function draw(element: HTMLElement, chart: Chart): void {
  element.replaceChildren();
  element.setAttribute('role', 'img');
  element.setAttribute('aria-label', `${chart.title}. ${chart.summary}`);
  const distr = chart.logarithmic ? 3 : 1;
  const options: uPlot.Options = {
    title: chart.title,
    width: Math.max(element.clientWidth, 240),
    height: kHeight,
    scales: {
      x: { time: false, distr },
      y: chart.yRange ? { distr, range: chart.yRange } : { distr },
    },
    // As wide as its numbers, which else lie on its label.
    axes: [axis(chart.x), { ...axis(chart.y), size: (_, values) => Math.max(50, 18 + 8 * Math.max(...(values ?? []).map((v) => (v ?? '').length))) }],
    series: [
      { label: chart.x },
      ...chart.series.map((s): uPlot.Series => {
        const series: uPlot.Series = { label: s.label, stroke: s.colour, width: 2, spanGaps: !s.points };
        if (s.points) {
          series.paths = () => null;
          series.points = { show: true, size: 10, fill: s.colour, stroke: themed('--text') };
        } else series.points = { show: false };
        if (s.step) series.paths = uPlot.paths.stepped!({ align: 1 });
        if (s.dash) series.dash = s.dash;
        return series;
      }),
    ],
    cursor: { drag: { x: false, y: false } },
    legend: { live: true },
  };
  new uPlot(options, chart.data, element);
}
