import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const read = (name: string) => readFileSync(join(DOCS, name), 'utf8');

const { derivedFiles } = (await import(join(DOCS, 'write-derived.mjs'))) as {
  derivedFiles(): Record<string, string>;
};

interface Item {
  name: string;
  item?: Item[];
  request?: { method: string; url: { raw: string; path: string[] }; body?: { raw: string } };
}

describe('what follows from openapi.json', () => {
  it.each(Object.entries(derivedFiles()))('docs/%s is up to date (else: npm run docs)', (name, content) =>
    expect(read(name)).toBe(content),
  );

  it('is a collection of every request that an application makes, whose variables are declared', () => {
    const collection = JSON.parse(read('postman-collection.json')) as { item: Item[]; variable: { key: string }[] };
    const requests = collection.item.flatMap(({ item = [] }) => item).flatMap(({ request }) => request ?? []);
    const { paths } = JSON.parse(read('openapi.json')) as { paths: Record<string, object> };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, object>)
        .filter(([, operation]) => 'x-codeSamples' in operation)
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    const asked = requests.map(
      ({ method, url }) => `${method} /${url.path.join('/').replaceAll(/\{\{(\w+)\}\}/g, '{$1}')}`,
    );
    expect(asked.sort()).toEqual(described.sort());
    const declared = new Set(collection.variable.map(({ key }) => key));
    for (const { url } of requests) {
      for (const [, name = ''] of url.raw.matchAll(/\{\{(\w+)\}\}/g)) expect(declared).toContain(name);
    }
  });

  it('is a text that leads to every page of the index and every operation', () => {
    const text = read('llms.txt');
    const linked = [...read('README.md').matchAll(/^- .*?\]\(([\w./#-]+)\)/gm)].map(([, target = '']) => target);
    expect(linked.length).toBeGreaterThan(20);
    expect(linked.filter((target) => !text.includes(`(${target})`))).toEqual([]);
    expect(text).toContain('- `POST /api/v1/events/{endUserAccountId}/{calendarId}`: ');
  });
});
