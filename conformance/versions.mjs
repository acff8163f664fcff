/** The releases that are held to the facts; the newest first so that a new surprise is seen early. */

export const SGLANG_VERSIONS = [
  '0.5.23',
  '0.5.22',
  '0.5.21',
  '0.5.20',
  '0.5.19',
  '0.5.18',
  '0.5.16',
  '0.5.12',
  '0.5.10',
  '0.5.9',
  '0.5.7',
  '0.5.4',
  '0.5.2',
  '0.4.6.post5',
];

/** The last release with each spelling: `sgl_router_*` up to 0.2, `smg_*` since. */
export const ROUTERS = [
  { name: 'sglang-router', version: '0.2.4', module: 'sglang_router.launch_router' },
  { name: 'sglang-router', version: '0.3.2', module: 'sglang_router.launch_router' },
  { name: 'smg', version: '1.13.0', module: 'smg.launch_router' },
];
