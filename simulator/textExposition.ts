import { type Sample } from './registry';

/** Content type of the classic text format, which a live scrape receives. */
export const TEXT_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Renders one metrics page: families grouped, no timestamps. */
export function renderText(samples: readonly Sample[]): string {
  const lines = new Map<string, string[]>();
  for (const { family, name, labels, value } of samples) {
    const familyName = family.type === 'counter' ? `${family.name}_total` : family.name;
    const block = lines.get(familyName) ?? [
      `# HELP ${familyName} ${family.help}`,
      `# TYPE ${familyName} ${family.type}`,
    ];
    lines.set(familyName, block);
    block.push(labels === '' ? `${name} ${value}` : `${name}{${labels}} ${value}`);
  }
  return [...lines.values()].map((block) => `${block.join('\n')}\n`).join('');
}
