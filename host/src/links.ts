/** The page's address with some parameters changed; undefined removes one. */
export function linkTo(changes: Record<string, string | undefined>, search = window.location.search): string {
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) {
      params.delete(name);
    } else {
      params.set(name, value);
    }
  }
  return `/?${params.toString()}`;
}

export interface PageParams {
  dashboard: string | undefined;
  page: 'dashboard' | 'config' | 'query' | 'options';
  theme: 'dark' | 'light';
  kiosk: boolean;
  panelId: number | undefined;
}

export function readPageParams(search = window.location.search): PageParams {
  const params = new URLSearchParams(search);
  const page = params.get('page');
  const panel = params.get('panel');
  return {
    dashboard: params.get('dashboard') ?? undefined,
    page: page === 'config' || page === 'query' || page === 'options' ? page : 'dashboard',
    theme: params.get('theme') === 'light' ? 'light' : 'dark',
    kiosk: params.has('kiosk'),
    panelId: panel !== null && /^\d+$/.test(panel) ? Number(panel) : undefined,
  };
}
