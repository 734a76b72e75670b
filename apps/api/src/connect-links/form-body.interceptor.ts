import { isUtf8 } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { invalid } from '#domain/system';
import { HttpFailure } from '../errors/envelope.js';
import { isAcceptableName, isStorable } from '../http/json-body.js';
import { ReadBodyInterceptor, type BodyFormat } from '../http/read-body.interceptor.js';

/** Above three fields of the greatest length, encoded. */
const MAX_BYTES = 32 * 1_024;

/** What a browser sends of a form (WHATWG HTML §4.10.21.7). Fields that were left empty are left out. */
const FORM: BodyFormat = {
  assertType({ headers }: Request): void {
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    if (type.trim().toLowerCase() === 'application/x-www-form-urlencoded') return;
    throw new HttpFailure('ValidationFailed', 'Send the body as application/x-www-form-urlencoded.', 415);
  },

  parse(bytes: Buffer): Record<string, string> {
    if (!isUtf8(bytes)) throw invalid('', 'The body is not UTF-8.');
    const fields: Record<string, string> = {};
    for (const [name, value] of new URLSearchParams(bytes.toString())) {
      if (!isAcceptableName(name)) throw invalid(name, 'is not an acceptable name');
      if (!isStorable(value)) throw invalid(name, 'must not contain NUL or half of a surrogate pair');
      if (fields[name] !== undefined) throw invalid(name, 'must be given once');
      if (value.trim() !== '') fields[name] = value;
    }
    return fields;
  },
};

@Injectable()
export class FormBodyInterceptor extends ReadBodyInterceptor {
  constructor() {
    super(MAX_BYTES, FORM);
  }
}
