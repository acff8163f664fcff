import { inlineJson, renderPage } from './page';

describe('the page', () => {
  it('cannot be left by what a dashboard is called', () => {
    const json = inlineJson({ title: '</script><script>alert(1)</script>', line: '\u2028' });
    expect(json).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(json)).toEqual({ title: '</script><script>alert(1)</script>', line: '\u2028' });
  });

  it('leaves out data sources whose plugin is not built, as Grafana does', () => {
    const source = { isDefault: false, jsonData: {} };
    const html = renderPage({
      theme: 'light',
      plugins: [],
      dashboards: [],
      faults: [{ name: 'restart-decode', label: 'Restart decode' }],
      dataSources: [
        { ...source, uid: 'p', name: 'Prom', type: 'prometheus' },
        { ...source, uid: 'x', name: 'Missing', type: 'pdflow-pipeline-datasource' },
      ],
    });
    expect(html).toContain('"Prom"');
    expect(html).not.toContain('"Missing"');
    expect(html).toContain('"lightTheme":true');
    expect(html).toContain('"faults":[{"name":"restart-decode","label":"Restart decode"}]');
  });
});
