import { Injectable, ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { DomainError, invalid } from '#domain/system';
import { recordIgnoredFields } from '../http/api-context.js';
import { isAcceptableName, isStorable } from '../http/json-body.js';
import { isOptionalBody, stripReadOnlyFields, type Class } from './body-decorators.js';
import { validationFailed } from './validation-details.js';

/** Query class of handlers that accept no parameters. */
export class NoQuery {}

/** Rejects unknown fields and parameters instead of dropping them. */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      transformOptions: { exposeUnsetFields: false },
      exceptionFactory: validationFailed,
    });
  }

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    switch (metadata.type) {
      case 'param':
        return Promise.resolve(pathParameter(value, metadata.data));
      case 'query':
        return this.query(value as Record<string, unknown>, metadata);
      case 'body':
        return this.body(value, metadata);
      case 'custom':
      default:
        return Promise.resolve(value);
    }
  }

  private async query(query: Record<string, unknown>, metadata: ArgumentMetadata): Promise<unknown> {
    for (const [name, value] of Object.entries(query)) {
      if (typeof value !== 'string') throw invalid(name, 'must be given once');
      if (!isStorable(value) || !isStorable(name))
        throw invalid(name, 'must not contain NUL or half of a surrogate pair');
      if (metadata.metatype === NoQuery || !isAcceptableName(name)) throw invalid(name, 'is not a known parameter');
    }
    if (metadata.metatype === NoQuery) return query;
    try {
      return await super.transform({ ...query }, metadata);
    } catch (error) {
      throw asParameters(error);
    }
  }

  private async body(sent: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const type = metadata.metatype as Class;
    const value = sent === undefined && isOptionalBody(type) ? {} : sent;
    if (value === undefined) throw invalid('', 'A JSON body is required.');
    recordIgnoredFields(stripReadOnlyFields(value as object, type));
    return super.transform(value, metadata);
  }
}

function pathParameter(value: unknown, name = ''): unknown {
  if (typeof value === 'string' && !isStorable(value)) {
    throw invalid(name, 'must not contain NUL or half of a surrogate pair');
  }
  return value;
}

function asParameters(error: unknown): unknown {
  if (!(error instanceof DomainError) || error.details === undefined) return error;
  const worded = (text: string): string => text.replace('is not a known field', 'is not a known parameter');
  return new DomainError(error.code, worded(error.message), {
    details: error.details.map(({ path, message }) => ({ path, message: worded(message) })),
  });
}
