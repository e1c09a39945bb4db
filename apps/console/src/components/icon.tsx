// Line drawings on a grid of 16. Decoration only: what they mean is written beside them or in the name of their button.
const shapes = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4z',
  tools: 'M9.5 6.5 3 13M10 2.8a3.2 3.2 0 0 0-.6 4.2 3.2 3.2 0 0 0 4.2-.6l-2 .1-1.7-1.7z',
  calls: 'M3 4h10M3 8h10M3 12h6',
  errors: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1',
  knowledge: 'M3 3.2c2-.6 3.6-.4 5 .8 1.4-1.2 3-1.4 5-.8v9.3c-2-.6-3.6-.4-5 .8-1.4-1.2-3-1.4-5-.8zM8 4v9.3',
  memory: 'M4 3.5h3v3H4zM9.5 9.5h3v3h-3zM5.5 6.5V11h4',
  chat: 'M2.5 3.5h11v7.5H7l-3 2.5V11H2.5z',
  requests: 'M8 2.5a3 3 0 0 1 3 3v2.7l1.5 2.3h-9L5 8.2V5.5a3 3 0 0 1 3-3zM6.7 13h2.6',
  batches: 'M5 5.5V2.5h8.5V11h-3M2.5 5.5H11v8H2.5z',
  webhooks: 'M7 4.8a2.3 2.3 0 1 1 3 2.2l2 3.5M5.5 11.5a2.3 2.3 0 1 1-1.2-2L6.5 6M13.5 11a2 2 0 1 1-1.5 2H6',
  usage: 'M3 13.5V8M6.3 13.5v-11M9.7 13.5V6M13 13.5v-3.5',
  budgets: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM10 6c-.5-.8-3.8-1-3.8.6 0 1.9 3.9.8 3.9 2.8 0 1.7-3.5 1.5-4.1.5M8 4.3v1M8 10.7v1',
  policies: 'M8 2.2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM5.7 8l1.7 1.7L10.5 6.5',
  providers: 'M3 6.5h10M3 6.5V13h10V6.5M5.5 6.5V3h5v3.5M8 9v1.8',
  connections: 'M6.5 9.5l3-3M7 4.5l1-1a2.8 2.8 0 0 1 4 4l-1 1M9 11.5l-1 1a2.8 2.8 0 0 1-4-4l1-1',
  audit: 'M4 2.5h6l2.5 2.5v8.5H4zM6 7h4.5M6 9.2h4.5M6 11.4h2.5M6 4.8h2',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  flows: 'M2.5 3.5h11M5 8h6M7 12.5h2',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  edit: 'M3 13l.6-2.8L10.5 3.3l2.2 2.2L5.8 12.4z',
  download: 'M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.5h10',
  keys: 'M6 10a3 3 0 1 1 1.7-3.5h5.8v2.5h-1.7v1.7H9.8V9H7.5M5 7.2v.1',
  servers: 'M3 3h10v4H3zM3 9h10v4H3zM5.5 5v.1M5.5 11v.1',
  health: 'M2 8h3l1.5-4 3 8L11 8h3',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4 6 8l4 4',
  play: 'M5 3.5v9l7-4.5z',
  stop: 'M4.5 4.5h7v7h-7z',
  replay: 'M3 8a5 5 0 1 1 1.6 3.7M3 13v-3h3',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5 5 13h6l.5-8.5',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.5 3.5l.9.9M11.6 11.6l.9.9M3.5 12.5l.9-.9M11.6 4.4l.9-.9',
  moon: 'M13 9.7A5.5 5.5 0 0 1 6.3 3 5.5 5.5 0 1 0 13 9.7z',
  system: 'M2.5 3.5h11v7h-11zM6 13h4',
  language: 'M2.5 4h6M5.5 2.5V4c0 3-1.5 5-3.5 6M3.5 6.5c1 2 2.5 3 4.5 3.5M8.5 13.5l2.5-6 2.5 6M9.4 11.5h3.2',
  out: 'M6 3H3v10h3M10 5l3 3-3 3M13 8H6',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5V11M8 5v.1',
  external: 'M6 4H3v9h9v-3M9 3h4v4M13 3 7.5 8.5',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.2l2 1.3',
  branch:
    'M5 5.5v5M5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5c0 3-6.5 1.5-6.5 4',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.5M13 2.5v3h-3',
  send: 'M2.5 8 13.5 3 10 13.5 7.5 9z',
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name, className = '' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg className={`icon ${className}`} viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <path d={shapes[name]} stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
