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
  readonly #targets: readonly Target[];

  constructor(targets: Iterable<Target>) {
    this.#targets = [...targets];
  }

  /** @param path still percent-encoded */
  find(httpMethod: string, path: string): Routed<Target> {
    const fitting = this.#targets.flatMap((method) => {
      const parameters = parametersIn(method.path, path);
      return parameters === null ? [] : [{ method, path: parameters }];
    });
    const [best] = fitting
      .filter(({ method }) => method.httpMethod === httpMethod)
      // A name says more than a place: `events/watch` is no event.
      .sort((a, b) => Object.keys(a.path).length - Object.keys(b.path).length);
    return best ?? (fitting.length > 0 ? 'wrong-method' : 'unknown');
  }
}

/**
 * The parameters of a template such as `calendars/{calendarId}/events`, decoded; null for a path that does not fit it.
 * @param path still percent-encoded
 */
export function parametersIn(template: string, path: string): Record<string, string> | null {
  const parts = template.split('/');
  const segments = path.split('/');
  if (parts.length !== segments.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = decoded(segments[index]!);
    if (part.startsWith('{') && segment !== null && segment !== '') parameters[part.slice(1, -1)] = segment;
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
