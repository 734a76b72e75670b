import { invalidFilter } from './refusals.js';

/** Longer than what a URL can hold. */
const MAX_LENGTH = 16_000;
const MAX_DEPTH = 50;
const TOKEN =
  /\s*(?:('(?:[^']|'')*')|(-?\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)|(-?\d+(?:\.\d+)?)|([A-Za-z_@][\w@.]*(?:\/[A-Za-z_@][\w@.]*)*)|([(),:]))/y;
const INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)(Z|[+-]\d{2}:\d{2})?$/;
const COMPARISONS = new Set(['eq', 'ne', 'gt', 'ge', 'lt', 'le']);
const FUNCTIONS = new Set(['contains', 'startswith', 'endswith']);

type Scope = Readonly<Record<string, unknown>>;
type Test = (scope: Scope) => boolean;
type Value = (scope: Scope) => unknown;

/**
 * A `$filter` as a test (OData 4.01 URL conventions §5.1.1): comparisons, `and`, `or`, `not`, `contains`, `startswith`,
 * `endswith`, `any` and `all`. Texts are compared without regard to case, as Exchange does.
 * @throws GraphRefusal 400 for anything else
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
    if (this.takes('not')) {
      const test = this.single();
      return (scope) => !test(scope);
    }
    if (this.takes('(')) {
      const test = this.either();
      this.expect(')');
      return test;
    }
    const name = this.peek()?.toLowerCase() ?? '';
    if (FUNCTIONS.has(name) && this.tokens[this.at + 1] === '(') return this.textFunction(name);
    if (/\/(any|all)$/.test(name) && this.tokens[this.at + 1] === '(') return this.lambda();
    return this.comparison();
  }

  private textFunction(name: string): Test {
    this.at += 1;
    this.expect('(');
    const value = this.value();
    this.expect(',');
    const part = this.value();
    this.expect(')');
    return (scope) => {
      const [text, sought] = [folded(value(scope)), folded(part(scope))];
      if (typeof text !== 'string' || typeof sought !== 'string') return false;
      if (name === 'contains') return text.includes(sought);
      return name === 'startswith' ? text.startsWith(sought) : text.endsWith(sought);
    };
  }

  private lambda(): Test {
    const path = this.take();
    const [, collection = '', quantifier = ''] = /^(.+)\/(any|all)$/i.exec(path) ?? [];
    this.expect('(');
    const variable = this.take();
    this.expect(':');
    const test = this.either();
    this.expect(')');
    const rows = this.path(collection);
    return (scope) => {
      const found = rows(scope);
      const each = Array.isArray(found) ? (found as unknown[]) : [];
      const holds = (row: unknown) => test({ ...scope, [variable]: row });
      return quantifier.toLowerCase() === 'any' ? each.some(holds) : each.every(holds);
    };
  }

  private comparison(): Test {
    const left = this.value();
    const operator = this.take().toLowerCase();
    if (!COMPARISONS.has(operator)) throw this.unexpected();
    const right = this.value();
    return (scope) => compares(operator, folded(left(scope)), folded(right(scope)));
  }

  private value(): Value {
    const token = this.take();
    if (token.startsWith("'")) return constant(token.slice(1, -1).replaceAll("''", "'"));
    if (/^-?\d{4}-\d{2}-\d{2}T/.test(token)) return constant(token);
    if (/^-?\d/.test(token)) return constant(Number(token));
    if (token === 'true' || token === 'false') return constant(token === 'true');
    if (token === 'null') return constant(null);
    return this.path(token);
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

function constant(value: unknown): Value {
  return () => value;
}

function propertyOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** Instants are told apart by what they mean, with or without decimals and `Z`. */
function folded(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null;
  const instant = INSTANT.exec(value);
  return instant === null ? value.toLowerCase() : Date.parse(`${instant[1]}${instant[2] ?? 'Z'}`);
}

function compares(operator: string, left: unknown, right: unknown): boolean {
  if (operator === 'eq') return left === right;
  if (operator === 'ne') return left !== right;
  if (typeof left !== typeof right || (typeof left !== 'string' && typeof left !== 'number')) return false;
  const order = left < (right as string | number) ? -1 : Number(left > (right as string | number));
  switch (operator) {
    case 'gt':
      return order > 0;
    case 'ge':
      return order >= 0;
    case 'lt':
      return order < 0;
    default:
      return order <= 0;
  }
}
