/** Target of a path template. */
export interface TemplateTarget {
  httpMethod: string;
  /** Template such as `calendars/{calendarId}/events`; segments in braces are parameters. */
  path: string;
}

export interface Route<Target> {
  method: Target;
  path: Record<string, string>;
}

/** Result of routing: a target, `wrong-method` when only other HTTP methods match, or `unknown`. */
export type Routed<Target> = Route<Target> | 'wrong-method' | 'unknown';

export class PathTemplates<Target extends TemplateTarget> {
  readonly #targets: readonly Target[];

  constructor(targets: Iterable<Target>) {
    this.#targets = [...targets];
  }

  /** @param path percent-encoded */
  find(httpMethod: string, path: string): Routed<Target> {
    const fitting = this.#targets.flatMap((method) => {
      const parameters = parametersIn(method.path, path);
      return parameters === null ? [] : [{ method, path: parameters }];
    });
    const [best] = fitting
      .filter(({ method }) => method.httpMethod === httpMethod)
      // A literal segment takes precedence: `events/watch` is no event.
      .sort((a, b) => Object.keys(a.path).length - Object.keys(b.path).length);
    return best ?? (fitting.length > 0 ? 'wrong-method' : 'unknown');
  }
}

/** Returns decoded parameters; null when the path does not match the template. @param path percent-encoded */
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
    return null; // invalid UTF-8
  }
}
