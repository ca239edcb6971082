/** Line icons on a grid of 20, drawn for this page. They are decoration: words beside them give their meaning. */
const PATHS = {
  interns: 'M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4 16.500c0-3 2.700-4.500 6-4.500s6 1.500 6 4.500',
  requests: 'M3 6.500h11.500m-3.500-3.500 3.500 3.500-3.500 3.500M17 13.500H5.500m3.500-3.500-3.500 3.500 3.500 3.500',
  faults: 'M11 2.500 4.500 11.500H10l-1 6 6.500-9H10z',
  scripts: 'M7 6.500 3.500 10 7 13.500M13 6.500l3.500 3.500-3.500 3.500M11.200 4.500l-2.400 11',
  proofs: 'M10 2.500 4 5v4.500c0 4 2.500 6.500 6 8 3.500-1.500 6-4 6-8V5zM7.500 10l2 2 3.500-4',
  state:
    'M10 7.500c3.600 0 6-1 6-2.500s-2.400-2.500-6-2.500S4 3.500 4 5s2.400 2.500 6 2.500ZM4 5v10c0 1.500 2.400 2.500 6 2.500s6-1 6-2.500V5M4 10c0 1.500 2.400 2.500 6 2.500s6-1 6-2.500',
  lab: 'M8 3h4M9 3v5L4.500 15.500a1 1 0 0 0 .9 1.500h9.200a1 1 0 0 0 .9-1.500L11 8V3M6.700 12.500h6.600',
  plus: 'M10 4.500v11M4.500 10h11',
  close: 'M5.500 5.500l9 9M14.500 5.500l-9 9',
  back: 'M12 4.500 6.500 10l5.500 5.500',
  send: 'M10 16V4.500M5 9.500l5-5 5 5',
  copy: 'M7.500 7.500h8v9h-8zM12.500 7.500v-4h-8v9h3',
  check: 'M4.500 10.500 8.500 14.500 15.500 6',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM10 6v4l2.700 1.700',
  play: 'M6.500 4.500v11l8.500-5.500z',
  pause: 'M7 5v10M13 5v10',
  stop: 'M5.500 5.500h9v9h-9z',
  trash: 'M4 6h12M8 6V4h4v2M5.500 6l.7 10h7.600l.7-10M8.500 9v4.500M11.500 9v4.500',
  down: 'M10 4v11.500M5 11l5 5 5-5',
  up: 'M10 16V4.500M5 9l5-5 5 5',
  reset: 'M4 10a6 6 0 1 0 2-4.500M4 3.500V6.500h3',
  plug: 'M7 3v4M13 3v4M5 7h10v2a5 5 0 0 1-10 0zM10 14v3.500',
  warn: 'M10 3.500 2.500 16.500h15zM10 8v4M10 14.200v.1',
  question: 'M7.500 7.500a2.500 2.500 0 1 1 3.600 2.300c-.7.400-1.100.9-1.100 1.700v.5M10 14.700v.1',
  steer: 'M4 16V9.500A3.500 3.500 0 0 1 7.500 6H16M12.500 2.500 16 6l-3.500 3.500',
  more: 'M7.500 5 12.500 10l-5 5',
  key: 'M8 12a4 4 0 1 1 3.600-2.300L17 15v2h-2.500v-2h-2v-2h-1.800',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);
