import { invalidFilter } from './errors.js';

/** Longer than any URL. */
const MAX_LENGTH = 16_000;
const MAX_DEPTH = 50;
const TOKEN = /\s*(?:('(?:[^']|'')*')|([A-Za-z_@][\w@.]*(?:\/[A-Za-z_@][\w@.]*)*)|([(),:]))/y;

type Scope = Readonly<Record<string, unknown>>;
type Test = (scope: Scope) => boolean;
type Value = (scope: Scope) => unknown;

/**
 * Parses `$filter` (OData 4.01 URL conventions §5.1.1), as far as the service uses it: `eq` with texts, `and`, `or`,
 * `contains` and `any`. Compares texts case-insensitively, like Exchange.
 * @throws GraphErrorResponse 400 for anything else
 */
export function parseFilter(text: string): (row: unknown) => boolean {
  if (text.length > MAX_LENGTH) throw invalidFilter('The filter is too long.');
  const parser = new FilterParser(tokensOf(text));
  const test = parser.whole();
  return (row) => test({ '': row });
}

class FilterParser {
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly string[]) {}

  whole(): Test {
    const test = this.either();
    if (this.at < this.tokens.length) throw this.unexpected();
    return test;
  }

  private either(): Test {
    let test = this.both();
    while (this.takes('or')) {
      const [one, other] = [test, this.both()];
      test = (scope) => one(scope) || other(scope);
    }
    return test;
  }

  private both(): Test {
    let test = this.single();
    while (this.takes('and')) {
      const [one, other] = [test, this.single()];
      test = (scope) => one(scope) && other(scope);
    }
    return test;
  }

  private single(): Test {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw invalidFilter('The filter is too deep.');
    const test = this.singleWithin();
    this.depth -= 1;
    return test;
  }

  private singleWithin(): Test {
    if (this.takes('(')) {
      const test = this.either();
      this.expect(')');
      return test;
    }
    const name = this.peek()?.toLowerCase() ?? '';
    const isCall = this.tokens[this.at + 1] === '(';
    if (isCall && name === 'contains') return this.contains();
    return isCall && name.endsWith('/any') ? this.any() : this.comparison();
  }

  private contains(): Test {
    this.at += 1;
    this.expect('(');
    const value = this.value();
    this.expect(',');
    const part = this.value();
    this.expect(')');
    return (scope) => {
      const [text, sought] = [folded(value(scope)), folded(part(scope))];
      return typeof text === 'string' && typeof sought === 'string' && text.includes(sought);
    };
  }

  private any(): Test {
    const collection = this.take().slice(0, -'/any'.length);
    this.expect('(');
    const variable = this.take();
    this.expect(':');
    const test = this.either();
    this.expect(')');
    const rows = this.path(collection);
    return (scope) => {
      const found = rows(scope);
      return Array.isArray(found) && found.some((row: unknown) => test({ ...scope, [variable]: row }));
    };
  }

  private comparison(): Test {
    const left = this.value();
    if (!this.takes('eq')) throw this.unexpected();
    const right = this.value();
    return (scope) => folded(left(scope)) === folded(right(scope));
  }

  private value(): Value {
    const token = this.take();
    if (!token.startsWith("'")) return this.path(token);
    const text = token.slice(1, -1).replaceAll("''", "'");
    return () => text;
  }

  private path(text: string): Value {
    if (!/^[A-Za-z_@]/.test(text)) throw this.unexpected();
    const [first = '', ...rest] = text.split('/');
    return (scope) => {
      const isVariable = Object.hasOwn(scope, first);
      const root = isVariable ? scope[first] : scope[''];
      return (isVariable ? rest : [first, ...rest]).reduce(propertyOf, root);
    };
  }

  private peek(): string | undefined {
    return this.tokens[this.at];
  }

  private take(): string {
    const token = this.tokens[this.at];
    if (token === undefined) throw this.unexpected();
    this.at += 1;
    return token;
  }

  private takes(word: string): boolean {
    if (this.peek()?.toLowerCase() !== word) return false;
    this.at += 1;
    return true;
  }

  private expect(word: string): void {
    if (!this.takes(word)) throw this.unexpected();
  }

  private unexpected() {
    return invalidFilter(`Invalid filter clause: syntax error at '${(this.peek() ?? 'the end').slice(0, 60)}'.`);
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  const end = text.trimEnd().length;
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < end;) {
    const match = TOKEN.exec(text);
    if (match === null) throw invalidFilter('Invalid filter clause: unterminated or unknown literal.');
    tokens.push(match[0].trim());
  }
  return tokens;
}

function propertyOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function folded(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}
