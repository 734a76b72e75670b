import { allMethods, type MethodSpec } from './discovery.js';

export interface Route {
  method: MethodSpec;
  /** Decoded. */
  path: Record<string, string>;
}

/** What a path leads to: a method; or only other HTTP methods; or nothing. */
export type Routed = Route | 'wrong-method' | 'unknown';

const TEMPLATES = [...allMethods()].map((method) => ({ method, segments: method.path.split('/') }));

/** @param path below `/calendar/v3/`, still percent-encoded */
export function findRoute(httpMethod: string, path: string): Routed {
  const segments = path.split('/');
  const fitting = TEMPLATES.flatMap(({ method, segments: template }) => {
    const parameters = fit(template, segments);
    return parameters === null ? [] : [{ method, path: parameters }];
  });
  const [best] = fitting
    .filter(({ method }) => method.httpMethod === httpMethod)
    // A name says more than a place: `events/watch` is no event.
    .sort((a, b) => Object.keys(a.path).length - Object.keys(b.path).length);
  return best ?? (fitting.length > 0 ? 'wrong-method' : 'unknown');
}

/** The path of a method with its parameters in place, encoded. */
export function expandPath(method: MethodSpec, parameters: Readonly<Record<string, string>>): string {
  return method.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
}

function fit(template: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (template.length !== segments.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of template.entries()) {
    const segment = decoded(segments[index] ?? '');
    if (segment === null || segment === '') return null;
    if (part.startsWith('{')) parameters[part.slice(1, -1)] = segment;
    else if (part !== segment) return null;
  }
  return parameters;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null; // no UTF-8
  }
}
