/** Something that stands behind a path such as `calendars/{calendarId}/events`. */
export interface TemplateTarget {
  httpMethod: string;
  /** Template; segments in braces are parameters. */
  path: string;
}

export interface Route<Target> {
  method: Target;
  /** Decoded. */
  path: Record<string, string>;
}

/** What a path leads to: a target; or only ones of other HTTP methods; or nothing. */
export type Routed<Target> = Route<Target> | 'wrong-method' | 'unknown';

/** Finds the target of a path. */
export class PathTemplates<Target extends TemplateTarget> {
  readonly #templates: { method: Target; segments: string[] }[];

  constructor(targets: Iterable<Target>) {
    this.#templates = [...targets].map((method) => ({ method, segments: method.path.split('/') }));
  }

  /** @param path still percent-encoded */
  find(httpMethod: string, path: string): Routed<Target> {
    const segments = path.split('/').map(decoded);
    if (!segments.every((segment): segment is string => segment !== null && segment !== '')) return 'unknown';
    const fitting = this.#templates.flatMap(({ method, segments: template }) => {
      const parameters = fit(template, segments);
      return parameters === null ? [] : [{ method, path: parameters }];
    });
    const [best] = fitting
      .filter(({ method }) => method.httpMethod === httpMethod)
      // A name says more than a place: `events/watch` is no event.
      .sort((a, b) => Object.keys(a.path).length - Object.keys(b.path).length);
    return best ?? (fitting.length > 0 ? 'wrong-method' : 'unknown');
  }
}

function fit(template: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (template.length !== segments.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of template.entries()) {
    const segment = segments[index] ?? '';
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
